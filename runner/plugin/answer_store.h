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

/// Keys of a request in the store: SHA-256 of the answering model (plugin, version, model and what its answers depend
/// on) and of the request (turns including the bytes of their pictures, temperature, sample_index, choices,
/// want_log_probs). `complete` is the key of a complete answer and does not include max_tokens, because such an answer
/// is also valid for a higher limit. `truncated` is the key of an answer cut off at max_tokens and includes it.
struct AnswerKey {
  std::string complete, truncated;

  AnswerKey(const std::string& who, const ChatRequest& request);
};

/// Persistent cache of chat models' answers, a folder of JSON lines that all runs with the same results folder share.
/// Each process appends to its own file, and reads what others have appended before it sends a request. Memory holds
/// only an index; the folder is read at the first call. Thread-safe.
///
/// The file `claims` prevents two processes or threads from sending the same request at once: before sending a request,
/// the sender locks the byte of this file that the request's key determines. The lock is released when its process
/// ends.
class AnswerStore {
 public:
  using Log = AnswerFile::Log;

  /// Does not access the folder yet.
  AnswerStore(std::filesystem::path folder, Log log);
  ~AnswerStore();
  AnswerStore(const AnswerStore&) = delete;
  AnswerStore& operator=(const AnswerStore&) = delete;

  /// Returns a stored answer that is valid for the request, or nothing. Logs unreadable lines and ignores them.
  std::optional<ChatReply> find(const AnswerKey& key, const ChatRequest& request);

  /// Reads what other processes have appended.
  void refresh();

  /// Claims the request for this caller until `release`. Returns false if another process or thread has claimed it.
  /// Opens the file for writing, so that an unwritable folder is an error before any request is sent. Throws Error
  /// (exit 1).
  bool claim(const AnswerKey& key);
  void release(const AnswerKey& key);

  /// Stores an answer immediately. Only a crash of the machine (not of the process) may lose answers of the last 20 ms.
  /// Returns the answer as `find` will: invalid UTF-8 is replaced. `who` and `model` are informational. Throws Error
  /// (exit 1), naming file and cause, if it can't be written, for example because the disk is full; earlier answers are
  /// kept.
  ChatReply keep(const AnswerKey& key, const std::string& who, const std::string& model, const ChatRequest& request,
                 const ChatReply& reply);

  /// Marks the stored answer to this request as malformed, once. Does nothing if there is none.
  void mark_malformed(const AnswerKey& key, const ChatRequest& request);

  /// Makes all answers durable.
  void flush();

  /// Returns the number of stored answers.
  size_t size();

 private:
  // Position of an answer's line in a file, in bytes.
  struct EntryAt {
    AnswerFile* file;
    uint64_t offset, length;
  };
  // A stored answer, and the limit of the request that it answered.
  struct Stored {
    ChatReply reply;
    int64_t max_tokens;
  };
  // The functions below need `mutex_`.

  void open();                     // reads the folder, at the first call
  void own();                      // opens this process's own file and `claims`, at the first call
  void read_others();              // reads files and lines that other processes have added
  void read_on(AnswerFile& file);  // adds the new lines of a file to the index
  void sync();                     // flushes the own file to disk
  // Reads the answer with this key from its file; nullopt if there is none.
  std::optional<Stored> stored(const std::string& key);
  // True if an answer with this key is stored and valid for the request; sets `reply` to it.
  bool fits(const std::string& key, const ChatRequest& request, ChatReply& reply);

  std::filesystem::path folder_;
  Log log_;
  bool opened_ = false;
  std::vector<std::unique_ptr<AnswerFile>> files_;
  AnswerFile* own_ = nullptr;             // element of `files_` that this process writes to; null until the first write
  int claims_ = -1;                       // file descriptor of `claims`; -1: not open
  std::unordered_set<std::string> held_;  // keys claimed by this process
  std::unordered_map<std::string, EntryAt> places_;  // the index: answers by key
  std::unordered_set<std::string> malformed_;        // keys of answers marked as malformed
  int64_t synced_ = 0;                               // time of the last fdatasync, in ms
  std::mutex mutex_;
};

}  // namespace compeer::plugin
