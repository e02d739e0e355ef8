#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "language/vocabulary.h"

namespace compeer::language {

/// What a word is made of before merges, by the names of tokenizer files.
struct SymbolSettings {
  bool byte_level = true;      ///< its bytes, in GPT-2's spelling; otherwise its characters
  bool byte_fallback = false;  ///< a character that is no token is the tokens of its bytes ("<0xE2>"), if all are there
  std::string unk_token;       ///< otherwise it is this one; without one it vanishes
  bool fuse_unk = false;       ///< of several such in a row one token
};

/// The tokens of a word before merges.
class Symbols {
 public:
  /// Throws Error (exit 4) naming `where` if the vocabulary lacks the unknown token and there may be need of it.
  Symbols(const Vocabulary& vocabulary, const SymbolSettings& settings, const std::string& where);

  /// Appends the ids.
  void split(std::string_view word, std::vector<int32_t>& ids) const;

  /// How many of the 256 bytes have no token and vanish from what is encoded.
  int lost_bytes() const { return lost_bytes_; }

 private:
  void split_characters(std::string_view word, std::vector<int32_t>& ids) const;
  bool add_bytes(std::string_view character, std::vector<int32_t>& ids) const;

  bool byte_level_, byte_fallback_, fuse_unk_;
  int32_t unknown_ = -1;
  int lost_bytes_ = 0;
  std::array<int32_t, 256> spelled_bytes_{}, byte_tokens_{};
  std::unordered_map<int32_t, int32_t> characters_;  // by their codes: the tokens that are one character
};

/// Byte-pair encoding: a word's symbols, its bytes or characters, joined pair by pair in the order of the merge list. A
/// word of n symbols takes O(n log n).
class BytePairs {
 public:
  /// The two tokens that a line of the merge list joins, as the vocabulary spells them.
  using Pair = std::pair<std::string, std::string>;

  /// merges: in order of rank. Throws Error (exit 4) naming `where` and the token that the vocabulary lacks.
  BytePairs(const Vocabulary& vocabulary, const SymbolSettings& settings, const std::vector<Pair>& merges,
            const std::string& where);

  /// Appends the ids of one word.
  void encode(std::string_view word, std::vector<int32_t>& ids) const;

  const Symbols& symbols() const { return symbols_; }

 private:
  struct Merge {
    uint64_t key;  // both ids; 0 marks a free place, which is no pair because rank tells
    int32_t rank = -1, result = -1;
  };
  struct Part;
  struct Candidate;
  const Merge* find(int32_t left, int32_t right) const;
  void insert(const Merge& merge);

  Symbols symbols_;
  std::vector<Merge> merges_;  // a hash table with open addressing: its size is a power of two, half is free
};

}  // namespace compeer::language
