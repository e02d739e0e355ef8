#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace compeer::plugin {

/// One line of an answer file.
struct AnswerLine {
  std::string key;
  bool malformed;  ///< true for a mark that the answer with this key could not be parsed; false for an answer
  /// Position of the line in the file, in bytes, without the line break.
  uint64_t offset, length;
};

/// One file of the answer store (answer_store.h): JSON lines, append-only, with one writing process at a time. Parses
/// only the beginning of a line:
///
///   {"key":"<64 hex digits>","model":"large-model",...}
///   {"key":"<64 hex digits>","malformed":true}
///
/// Functions throw Error (exit 1), naming the file, if it can't be opened, read, locked or written.
class AnswerFile {
 public:
  using Log = std::function<void(const std::string& line)>;

  enum class Use { read, change, add };  ///< `add` creates the file if it is missing
  explicit AnswerFile(std::filesystem::path path, Use use = Use::read);
  /// Opens for writing the first file `<host>-<n>.jsonl` of the folder that no other process has locked. Removes an
  /// incomplete last line, as left by a killed process, and logs that.
  static std::unique_ptr<AnswerFile> to_add_to(const std::filesystem::path& folder, const Log& log);
  ~AnswerFile();
  AnswerFile(const AnswerFile&) = delete;
  AnswerFile& operator=(const AnswerFile&) = delete;

  /// Calls `f` for each complete line added since the last call. Logs damaged lines and skips them.
  void read_on(const std::function<void(AnswerLine line)>& f, const Log& log);

  /// Returns these bytes of the file. Throws Error (exit 4) if the file has become shorter.
  std::string at(uint64_t offset, uint64_t length) const;

  /// Appends a line and returns its offset. If the disk is full, removes the partial line before it throws.
  uint64_t add(const std::string& line);

  /// Makes the file durable (fdatasync).
  void sync() const;

  /// Tries to lock the file for exclusive writing until this object is destroyed. Returns false if another process
  /// holds the lock.
  bool lock() const;

  const std::filesystem::path& path() const { return path_; }
  /// True if `other` is the same file (device and inode).
  bool same_as(const std::filesystem::path& other) const;

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& help = "") const;
  bool cut(uint64_t size) const;

  std::filesystem::path path_;
  int fd_;
  uint64_t end_ = 0, number_ = 0;  // after the last complete line read or added: offset, line number
};

/// Returns all `*.jsonl` files of a folder, sorted; empty if there is no such folder.
std::vector<std::filesystem::path> answer_files(const std::filesystem::path& folder);

}  // namespace compeer::plugin
