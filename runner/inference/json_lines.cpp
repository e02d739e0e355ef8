// JSON lines on standard input and output.
#include "inference/json_lines.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/files.h"
#include "base/json.h"

namespace compeer::inference {

namespace {

constexpr size_t longest = size_t{64} << 20;

bool blank(const std::string& line) { return line.find_first_not_of(" \t\r") == std::string::npos; }

}  // namespace

std::optional<std::string> JsonLineReader::next() {
  for (;;) {
    while (auto line = take()) {
      if (!blank(*line)) return line;
    }
    if (ended_ && buffer_.empty()) return std::nullopt;
    if (!fill(-1)) return "";
  }
}

bool JsonLineReader::ready() {
  for (;;) {
    const auto end = buffer_.find('\n', searched_);
    if (end != std::string::npos || ended_) return true;
    searched_ = buffer_.size();
    if (!fill(0)) return false;
  }
}

// Reads available data. False if none arrives within that time (-1: no limit), or on an interruption or a signal.
bool JsonLineReader::fill(int milliseconds) {
  pollfd wanted[]{{descriptor_, POLLIN, 0}, {interruption_, POLLIN, 0}};
  const int found = ::poll(wanted, 2, milliseconds);
  if (found == 0 || (found < 0 && errno == EINTR) || wanted[1].revents != 0) return false;
  char block[1 << 16];
  const ssize_t count = ::read(descriptor_, block, sizeof block);
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return false;
  if (count < 0) throw read_error("standard input", errno);
  if (count == 0) ended_ = true;
  buffer_.append(block, static_cast<size_t>(count));
  if (buffer_.size() > longest && buffer_.find('\n', searched_) == std::string::npos)
    throw Error("line " + std::to_string(number_ + 1), "is longer than 64 MiB", "", Exit::data);
  return true;
}

std::optional<std::string> JsonLineReader::take() {
  auto end = buffer_.find('\n', searched_);
  searched_ = buffer_.size();
  if (end == std::string::npos) {
    if (!ended_ || buffer_.empty()) return std::nullopt;
    end = buffer_.size();  // the last line may have no line end
  }
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  searched_ = 0;
  ++number_;
  return line;
}

nlohmann::ordered_json parse_object(const std::string& line, const std::string& where) {
  auto value = parse_strict_json<nlohmann::ordered_json>(line, where);
  if (!value.is_object()) throw Error(where, "is not a JSON object", "for example {\"text\": \"...\"}", Exit::data);
  return value;
}

void put_line(const std::string& line) {
  if (std::fputs(line.c_str(), stdout) < 0 || std::fputc('\n', stdout) == EOF || std::fflush(stdout) != 0)
    throw Error("", "standard output can't be written", "", Exit::failure);
}

std::string json_floats(const std::vector<float>& values) {
  std::string text = "[";
  for (const float value : values) {
    if (text.size() > 1) text += ',';
    text += fmt::format("{}", value);
  }
  return text + "]";
}

}  // namespace compeer::inference
