// Reading and writing of JSON Lines files.
#include "data/lines.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/disk.h"
#include "base/files.h"
#include "base/json.h"

namespace compeer::data {

LineReader::LineReader(std::filesystem::path file) : file_(std::move(file)), stream_(open_to_read(file_)) {}

void LineReader::next() {
  ++number_;
  std::getline(stream_, line_);
  check_read(stream_, file_);
  if (!stream_)
    throw Error(fmt::format("{}:{}", file_.string(), number_),
                "line is missing: the file was changed while it was read", "", Exit::data);
}

void LineReader::skip(int64_t count) {
  for (int64_t i = 0; i < count; ++i) next();
}

RecordLines LineReader::read(int64_t count) {
  RecordLines lines;
  lines.texts.reserve(static_cast<size_t>(count));
  lines.records.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    next();
    lines.records.push_back(parse_json(line_));
    if (!lines.records.back().is_object())
      throw Error(fmt::format("{}:{}", file_.string(), number_), "is not a JSON object", "", Exit::data);
    lines.texts.push_back(std::move(line_));
  }
  return lines;
}

LineWriter::LineWriter(std::filesystem::path file) : file_(std::move(file)), stream_(std::fopen(file_.c_str(), "wb")) {
  if (!stream_) fail();
}

LineWriter::~LineWriter() {
  if (finished_) return;
  stream_.reset();
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

void LineWriter::write(std::string_view lines) {
  if (std::fwrite(lines.data(), 1, lines.size(), stream_.get()) != lines.size()) fail();
}

void LineWriter::finish() {
  if (std::fflush(stream_.get()) != 0 || ::fsync(::fileno(stream_.get())) != 0) fail();
  if (std::fclose(stream_.release()) != 0) fail();
  finished_ = true;
}

void LineWriter::fail() const {
  const int cause = errno;
  auto help = write_error_help(cause);
  if (help.empty()) help = "fix the cause, then run the same command to continue";
  throw Error(file_.string(), fmt::format("can't be written: {}", std::strerror(cause)), help, Exit::failure);
}

}  // namespace compeer::data
