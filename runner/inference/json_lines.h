#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace compeer::inference {

/// Reads lines from a file descriptor as they arrive: a program at the other end of a pipe may wait for an answer
/// before it sends the next line.
class JsonLineReader {
 public:
  /// Does not own the descriptors. `interruption`: descriptor that ends waiting when it is readable; -1: none.
  explicit JsonLineReader(int descriptor, int interruption = -1)
      : descriptor_(descriptor), interruption_(interruption) {}

  /// Waits for the next line that is not blank and returns it without its end; empty optional at the end of the input.
  /// Returns an empty line if `interruption` becomes readable or a signal arrives. Throws Error (exit 4) if a line is
  /// longer than 64 MiB.
  std::optional<std::string> next();
  /// True if `next` would return without waiting.
  bool ready();
  /// Number of the line that `next` returned last, from 1, counting blank lines.
  int64_t number() const { return number_; }
  /// Returns "line 7".
  std::string where() const { return "line " + std::to_string(number_); }

 private:
  bool fill(int milliseconds);
  std::optional<std::string> take();

  int descriptor_, interruption_;
  std::string buffer_;
  size_t searched_ = 0;  // bytes of buffer_ that contain no line end
  bool ended_ = false;
  int64_t number_ = 0;
};

/// Parses a line as a JSON object. Throws Error (exit 4), located at `where`, if it is not JSON, not UTF-8, not an
/// object, too deeply nested, or has a duplicate key.
nlohmann::ordered_json parse_object(const std::string& line, const std::string& where);

/// Writes a line to standard output and flushes. Throws Error (exit 1) on failure.
void put_line(const std::string& line);

/// Formats a JSON list such as [-0.1,-2], with the shortest decimals that parse to the same floats.
std::string json_floats(const std::vector<float>& values);

/// Writes lines that arrive in any order to standard output in the order of their positions 0, 1, 2, ...
class InOrder {
 public:
  /// Writes the line of position `place`, or holds it back until all earlier lines are written.
  void put(size_t place, std::string line) {
    waiting_[place] = std::move(line);
    for (; !waiting_.empty() && waiting_.begin()->first == next_; ++next_) {
      put_line(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
    }
  }

 private:
  std::map<size_t, std::string> waiting_;
  size_t next_ = 0;
};

}  // namespace compeer::inference
