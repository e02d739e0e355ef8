#pragma once
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace compeer::lua {

/// Lua's patterns (manual, 6.4.1), with every step counted, so that back-tracking can't hang a script.
/// Bytes are ASCII here whatever the locale. Mistakes in a pattern throw Error when it is compiled.
class Pattern {
 public:
  /// One captured piece of the subject; `length` is `position` for the empty capture "()".
  struct Capture {
    size_t start = 0;
    ptrdiff_t length = 0;
  };
  static constexpr ptrdiff_t position = -1;

  /// With `anchors`, a '^' in front ties the pattern to where the search starts; without, it is a character.
  explicit Pattern(std::string_view text, bool anchors = true);

  bool anchored() const { return anchored_; }
  size_t bytes() const { return items_.capacity() * sizeof(Item); }

  struct Match {
    size_t start = 0, end = 0;
    std::vector<Capture> captures;
  };
  static constexpr size_t none = static_cast<size_t>(-1);

  /// The first match that starts at or after `start` (at `start` only, if anchored) and doesn't end at `avoid`, where
  /// the match before ended. `spend` is told of steps in lumps, and may throw.
  bool search(std::string_view subject, size_t start, const std::function<void(uint64_t)>& spend, Match& match,
              size_t avoid = none) const;

 private:
  friend class Compiler;
  friend class Matcher;
  enum class Kind { single, open, close, empty_capture, back_reference, balanced, frontier, end };
  enum class Repeat { once, optional, greedy, greedy_once, lazy };
  struct Item {
    Kind kind = Kind::single;
    Repeat repeat = Repeat::once;
    std::bitset<256> set;   // single, frontier
    size_t capture = 0;     // open, close, empty_capture, back_reference
    char from = 0, to = 0;  // balanced
  };
  std::vector<Item> items_;
  bool anchored_ = false;
  size_t captures_ = 0;
};

}  // namespace compeer::lua
