#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace compeer::inference {

/// Lines from a file descriptor, one at a time, as they come: a program at the other end of a pipe may wait for an
/// answer before it sends the next.
class JsonLineReader {
 public:
  /// `interruption`, if it is one: a descriptor that ends waiting when it can be read.
  explicit JsonLineReader(int descriptor, int interruption = -1)
      : descriptor_(descriptor), interruption_(interruption) {}

  /// The next line that is not blank, without its end; nothing at the end of the input. Waits. An interruption ends the
  /// waiting with an empty line.
  std::optional<std::string> next();
  /// Whether `next` would answer without waiting.
  bool ready();
  /// Which line `next` gave last, counted from 1, blank ones included.
  int64_t number() const { return number_; }
  /// "line 7"
  std::string where() const { return "line " + std::to_string(number_); }

 private:
  bool fill(int milliseconds);
  std::optional<std::string> take();

  int descriptor_, interruption_;
  std::string buffer_;
  size_t searched_ = 0;  // characters of buffer_ that are known to hold no line end
  bool ended_ = false;
  int64_t number_ = 0;
};

/// A line as a JSON object. Throws Error (exit 4) with `where`: no JSON, not UTF-8, no object, too deeply
/// nested, a name twice in an object.
nlohmann::ordered_json parse_object(const std::string& line, const std::string& where);

/// Writes a line to standard output at once. Throws Error (exit 1) if that can't be done.
void put_line(const std::string& line);

/// [-0.1,-2]: the shortest decimals that read back to the same floats.
std::string json_floats(const std::vector<float>& values);

/// Answers come in any order; they are put out in the order of their places 0, 1, 2, ...
class InOrder {
 public:
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
