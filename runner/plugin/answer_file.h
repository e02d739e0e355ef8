#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace compeer::plugin {

/// A line of the answer store.
struct AnswerLine {
  std::string key;
  bool malformed;  ///< no answer, but a mark: the answer under this key could not be read
  uint64_t offset, length;
};

/// One of the files that make up the answer store (answer_store.h): JSON lines, only ever added to, by one process at a
/// time. Knows how a line begins and nothing of what is in it:
///
///   {"key":"<64 hex digits>","model":"large-model",...}
///   {"key":"<64 hex digits>","malformed":true}
///
/// Throws Error naming the file: it can't be opened, read or written (exit 1).
class AnswerFile {
 public:
  using Log = std::function<void(const std::string& line)>;

  enum class Use { read, change, add };  ///< `add` makes the file if there is none
  explicit AnswerFile(std::filesystem::path path, Use use = Use::read);
  /// The first file `<host>-<n>.jsonl` of a folder that no other process adds to. What a kill left of a line is cut
  /// off.
  static std::unique_ptr<AnswerFile> to_add_to(const std::filesystem::path& folder, const Log& log);
  ~AnswerFile();
  AnswerFile(const AnswerFile&) = delete;
  AnswerFile& operator=(const AnswerFile&) = delete;

  /// The lines that were added since the last call, whole ones only. One that is damaged is named in the log.
  void read_on(const std::function<void(AnswerLine line)>& f, const Log& log);

  std::string at(uint64_t offset, uint64_t length) const;

  /// Adds a line, whole or not at all: what a full disk left of it is taken back. Returns where it stands.
  uint64_t add(const std::string& line);

  void sync() const;

  /// Whether this process alone may change the file, from now on.
  bool lock() const;

  const std::filesystem::path& path() const { return path_; }
  bool same_as(const std::filesystem::path& other) const;

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& help = "") const;
  bool cut(uint64_t size) const;

  std::filesystem::path path_;
  int fd_;
  uint64_t end_ = 0, number_ = 0;  // of the lines that were read or added
};

/// All `*.jsonl` of a folder, in order; none if there is no such folder.
std::vector<std::filesystem::path> answer_files(const std::filesystem::path& folder);

}  // namespace compeer::plugin
