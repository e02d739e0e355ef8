#pragma once
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "data/outcomes.h"

namespace compeer::data {

/// The records of a file of JSON lines, in order, parsed only where asked for.
class LineReader {
 public:
  explicit LineReader(std::filesystem::path file);

  /// Passes over records.
  void skip(int64_t count);
  /// The next records. Throws Error (exit 4) naming file and line if one is not there or is no JSON object.
  RecordLines read(int64_t count);

 private:
  void next();
  std::filesystem::path file_;
  std::ifstream stream_;
  std::string line_;
  int64_t number_ = 0;  // of the line read last, from 1
};

/// A new file that is written from front to end. Whatever goes wrong, as a full disk, is an Error (exit 1) that names
/// the file and the cause. A file that is not finished is removed: nobody could use it, and on a full disk its space is
/// what the run's last words are written to.
class LineWriter {
 public:
  explicit LineWriter(std::filesystem::path file);
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;
  void write(std::string_view lines);
  /// Makes all durable; nothing may be written afterwards.
  void finish();

 private:
  [[noreturn]] void fail() const;
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::filesystem::path file_;
  std::unique_ptr<std::FILE, Close> stream_;
  bool finished_ = false;
};

}  // namespace compeer::data
