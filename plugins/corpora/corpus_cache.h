#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "corpora/dialogue.h"
#include "corpora/left_out.h"
#include "corpora/sources.h"

namespace compeer::corpora {

/// Bytes that are kept one behind the other in large blocks. By themselves, among all that is read and thrown away
/// again, they would leave the heap full of holes.
class ByteArena {
 public:
  /// The same bytes, which stay where they are for as long as this does, or what it was moved to.
  std::string_view keep(std::string_view bytes);

 private:
  std::deque<std::string> blocks_;
};

/// The dialogues of a corpus, packed, and the records that were left out.
class CorpusCache {
 public:
  struct Entry {
    std::string dialogue;                 ///< its full name: "esconv/train/17"
    std::string_view bytes;               ///< packed (dialogue.h)
    std::string split;                    ///< what its file's name says, or ""
    std::vector<uint32_t> rounds, asked;  ///< its answers: all, and those that are asked for (dialogue.h)
  };

  /// `merge`: what one person writes in a row is one turn.
  CorpusCache(std::string corpus, bool merge) : corpus_(std::move(corpus)), merge_(merge) {}

  /// What follows comes from this file.
  void open(const CorpusFile& source);

  /// A dialogue, read from a record of the file (0: the file is the dialogue). Left out if the file has one of the
  /// same name already.
  void add(Dialogue dialogue, int64_t record);
  void leave_out(int64_t record, const std::string& reason);

  const std::vector<Entry>& entries() const { return entries_; }
  std::vector<Unreadable>& left_out() { return left_out_; }
  const std::vector<Unreadable>& left_out() const { return left_out_; }

 private:
  std::string corpus_;
  bool merge_;
  CorpusFile source_;
  std::unordered_map<std::string, int64_t> known_;  // dialogues of the open file -> record
  std::vector<Entry> entries_;
  ByteArena arena_;
  std::vector<Unreadable> left_out_;
};

}  // namespace compeer::corpora
