#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compeer/chat.h"
#include "plugin/answer_file.h"

namespace compeer::plugin {

/// The name of an answer: SHA-256 of who is asked (plugin, version, model and what its answers depend on) and of what:
/// turns with the bytes of their pictures, temperature, draw, choices, whether these are weighed. Not of the limit: an
/// answer that ended by itself is the same under a higher one. One that was cut off has another name, with the limit.
struct AnswerKey {
  std::string ended, cut;

  AnswerKey(const std::string& who, const ChatRequest& request);
};

/// What chat models have answered, for all runs with the same folder of results: a folder of JSON lines. Each process
/// adds to a file of its own and sees what others have added before it asks. Texts stay in the files; memory holds
/// where they are. Nothing is read before the first question. May be used by several threads.
///
/// Beside the files lies `claims`: whoever is about to ask holds a lock on a byte of it that the question's name gives,
/// so that what two processes, or two threads, want to know at once is asked by one of them. A lock ends with its
/// process.
class AnswerStore {
 public:
  using Log = AnswerFile::Log;

  /// Makes nothing and reads nothing yet.
  AnswerStore(std::filesystem::path folder, Log log);
  ~AnswerStore();
  AnswerStore(const AnswerStore&) = delete;
  AnswerStore& operator=(const AnswerStore&) = delete;

  /// An answer that fits the request. A line that can't be read is named in the log and counts for nothing.
  std::optional<ChatReply> find(const AnswerKey& key, const ChatRequest& request);

  /// Reads what other processes have added since.
  void refresh();

  /// Whether nobody else is asking this; then nobody else will until `release`. Opens the file to add to, so that a
  /// folder that can't be written is an error before anything is paid. Throws Error (exit 1).
  bool claim(const AnswerKey& key);
  void release(const AnswerKey& key);

  /// Writes an answer down at once; a crash of the machine, not of the process, may lose those of the last 20 ms.
  /// Returns it as `find` will: bytes that are not UTF-8 are gone. `who` and `model` are for people.
  /// Throws Error (exit 1) naming file and cause, as when the disk is full; what was kept before stays.
  ChatReply keep(const AnswerKey& key, const std::string& who, const std::string& model, const ChatRequest& request,
                 const ChatReply& reply);

  /// Notes, once, that this request's answer could not be read.
  void mark_malformed(const AnswerKey& key, const ChatRequest& request);

  /// Makes all answers durable.
  void flush();

  size_t size();

 private:
  struct EntryAt {
    AnswerFile* file;
    uint64_t offset, length;
  };
  struct Stored {
    ChatReply reply;
    int64_t max_tokens;
  };
  void open();
  void own();
  void read_others();
  void read_on(AnswerFile& file);
  void sync();
  std::optional<Stored> stored(const std::string& key);
  bool fits(const std::string& key, const ChatRequest& request, ChatReply& reply);

  std::filesystem::path folder_;
  Log log_;
  bool opened_ = false;
  std::vector<std::unique_ptr<AnswerFile>> files_;
  AnswerFile* own_ = nullptr;  // one of them, once there is something to add
  int claims_ = -1;
  std::unordered_set<std::string> held_;  // claims of this process
  std::unordered_map<std::string, EntryAt> places_;
  std::unordered_set<std::string> malformed_;
  int64_t synced_ = 0;  // when, in ms
  std::mutex mutex_;
};

}  // namespace compeer::plugin
