#pragma once
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "compeer/chat.h"

namespace compeer::plugin {

/// What was asked of chat models by one rank since it started.
struct ChatCounts {
  std::atomic<int64_t> asked = 0;   ///< requests that went to a plugin
  std::atomic<int64_t> known = 0;   ///< requests answered from memory, or by the same request beside them
  std::atomic<int64_t> failed = 0;  ///< of those asked: no answer after all retries
  std::atomic<int64_t> prompt_tokens = 0, completion_tokens = 0;  ///< of those asked, as far as known
};

/// The answers of chat models, kept as they arrive in a folder of JSON lines: every process adds to a file of its own
/// and knows, from its start, what stands in all of them. So no answer is asked for again, however often a run is
/// killed and on however many ranks it goes on. The texts stay in the files; memory holds where they are.
/// May be used by several threads.
class ChatMemory {
 public:
  using Log = std::function<void(const std::string& line)>;

  /// Reads all `*.jsonl` in `folder`, which is made if need be; `<own>.jsonl` is the file to add to. A line that can't
  /// be read, as the last one of a process that was killed, is named in the log and counts for nothing.
  /// Throws Error naming the file: can't be read or written (exit 1), or another process adds to it (exit 4).
  ChatMemory(std::filesystem::path folder, const std::string& own, const Log& log);
  ~ChatMemory();
  ChatMemory(const ChatMemory&) = delete;
  ChatMemory& operator=(const ChatMemory&) = delete;

  /// The name of an answer: SHA-256 of who is asked (the plugin, its version and what its answers depend on) and what.
  static std::string key(const std::string& who, const ChatRequest& request);

  std::optional<ChatReply> find(const std::string& key) const;

  /// Writes an answer down at once; a crash of the machine, not of the process, may lose those of the last 20 ms.
  /// Returns it as `find` will: bytes that are not UTF-8 are gone. `who` is for people who read the file.
  /// Throws Error (exit 1) naming file and cause, as when the disk is full; what was kept before stays.
  ChatReply keep(const std::string& key, const std::string& who, const ChatReply& reply);

  /// Makes all answers durable.
  void flush();

  size_t size() const;

 private:
  struct File;
  struct Line {
    size_t file;
    uint64_t offset, length;
  };
  void read(size_t file, const Log& log);
  void sync();

  std::vector<std::unique_ptr<File>> files_;  // the first is our own
  std::map<std::string, Line> lines_;         // by key
  uint64_t end_ = 0;                          // of our own file
  int64_t synced_ = 0;                        // when, in ms
  mutable std::mutex mutex_;
};

}  // namespace compeer::plugin
