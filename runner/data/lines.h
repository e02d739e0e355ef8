#pragma once
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "data/outcomes.h"

// Reading and writing of the JSON Lines files between the stages of a data run: one record, a JSON object, per line.

namespace compeer::data {

/// Sequential reader of a JSON Lines file. Skipped records are not parsed.
class LineReader {
 public:
  /// Opens the file. Throws Error (exit code 4: unusable data) if it can't be opened.
  explicit LineReader(std::filesystem::path file);

  /// Skips the next `count` records. Throws Error (exit code 4) if there are fewer.
  void skip(int64_t count);
  /// Returns the next `count` records. Throws Error (exit code 4) with file and line if there are fewer, or if one is
  /// not a JSON object.
  RecordLines read(int64_t count);

 private:
  void next();  // reads the next line into `line_`; throws Error (exit code 4) if there is none
  std::filesystem::path file_;
  std::ifstream stream_;
  std::string line_;    // last line read, without newline
  int64_t number_ = 0;  // 1-based number of the last line read
};

/// Sequential writer of a new file, which replaces an existing one. All functions throw Error (exit code 1: other
/// failure) with file and cause if writing fails, such as on a full disk. The destructor removes a file that was not
/// finished, which also frees space for log and error messages on a full disk.
class LineWriter {
 public:
  /// Creates the file.
  explicit LineWriter(std::filesystem::path file);
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;
  /// Appends complete lines, each with its newline.
  void write(std::string_view lines);
  /// Flushes to disk (fsync) and closes the file; do not write afterwards.
  void finish();

 private:
  [[noreturn]] void fail() const;  // throws Error for the current errno
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::filesystem::path file_;
  std::unique_ptr<std::FILE, Close> stream_;
  bool finished_ = false;
};

}  // namespace compeer::data
