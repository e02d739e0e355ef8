#pragma once
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace compeer::lua {

/// Lua's patterns (Lua manual, 6.4.1). Every matching step is counted, so that backtracking can't hang a script.
/// Character classes are ASCII, whatever the locale.
class Pattern {
 public:
  /// One capture: a range of the subject. `length` is `position` for the empty capture "()".
  struct Capture {
    size_t start = 0;
    ptrdiff_t length = 0;
  };
  static constexpr ptrdiff_t position = -1;  ///< `Capture::length` of the empty capture, which captures a position

  /// Compiles a pattern. Throws Error if it is malformed. If `anchors`, a leading '^' anchors the pattern to the start
  /// of the search; otherwise it is an ordinary character.
  explicit Pattern(std::string_view text, bool anchors = true);

  bool anchored() const { return anchored_; }
  /// Returns the memory of the compiled pattern, in bytes.
  size_t bytes() const { return items_.capacity() * sizeof(Item); }

  /// A match [start, end) and its captures.
  struct Match {
    size_t start = 0, end = 0;
    std::vector<Capture> captures;
  };
  static constexpr size_t none = static_cast<size_t>(-1);  ///< no position, for `search`'s `avoid`

  /// Finds the first match that starts at or after `start` (only at `start` if anchored) and does not end at `avoid`,
  /// the end of the previous match. Returns false if there is none. `spend` is called with batches of steps and may
  /// throw.
  bool search(std::string_view subject, size_t start, const std::function<void(uint64_t)>& spend, Match& match,
              size_t avoid = none) const;

 private:
  friend class Compiler;  // parses a pattern into `items_`
  friend class Matcher;   // matches `items_` at one position
  // A character class, begin and end of a capture, "()", "%1", "%bxy", "%f[set]", and "$" at the end.
  enum class Kind { single, open, close, empty_capture, back_reference, balanced, frontier, end };
  // Without a sign, "?", "*", "+" and "-".
  enum class Repeat { once, optional, greedy, greedy_once, lazy };
  // One item of a pattern. Comments name the kinds that use a member.
  struct Item {
    Kind kind = Kind::single;
    Repeat repeat = Repeat::once;  // single
    std::bitset<256> set;          // single, frontier: the characters that match
    size_t capture = 0;            // open, close, empty_capture, back_reference: index of the capture
    char from = 0, to = 0;         // balanced: opening and closing character
  };
  std::vector<Item> items_;
  bool anchored_ = false;
  size_t captures_ = 0;  // number of captures
};

}  // namespace compeer::lua
