#pragma once
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

// Pattern matching for the string functions that scripts use (find, match, gmatch, gsub).

namespace compeer::lua {

/// A compiled Lua pattern (Lua 5.4 manual, 6.4.1). Every matching step is counted, so that backtracking can't hang a
/// script. Character classes are ASCII, whatever the locale. The *subject* is the text that is searched; positions in
/// it are byte offsets from 0.
class Pattern {
 public:
  /// One capture: `length` bytes of the subject from `start` on.
  struct Capture {
    size_t start = 0;
    ptrdiff_t length = 0;  ///< the constant `position` for "()", which captures the position `start` and no text
  };
  static constexpr ptrdiff_t position = -1;  ///< special value of `Capture::length`

  /// Compiles a pattern. Throws Error if it is malformed. If `anchors`, a leading '^' anchors the pattern to the start
  /// of the search; otherwise it is an ordinary character.
  explicit Pattern(std::string_view text, bool anchors = true);

  /// True if the pattern begins with '^' and so matches only at the start of a search.
  bool anchored() const { return anchored_; }
  /// Returns the memory of the compiled pattern, in bytes.
  size_t bytes() const { return items_.capacity() * sizeof(Item); }

  /// A match, the bytes [start, end) of the subject, and its captures in the order of their opening parentheses.
  struct Match {
    size_t start = 0, end = 0;
    std::vector<Capture> captures;
  };
  static constexpr size_t none = static_cast<size_t>(-1);  ///< no position

  /// Finds the first match that starts at or after `start` (only at `start` if anchored) and stores it in `match`.
  /// Returns false if there is none. Matches that end at `avoid`, the end of the previous match of a repeated search,
  /// are skipped. `spend` is called with numbers of matching steps, to count them; it may throw to end the search.
  bool search(std::string_view subject, size_t start, const std::function<void(uint64_t)>& spend, Match& match,
              size_t avoid = none) const;

 private:
  friend class Compiler;
  friend class Matcher;
  // A single character or class; "(" and ")" of a capture; "()"; "%1"; "%bxy"; "%f[set]"; "$" at the end.
  enum class Kind { single, open, close, empty_capture, back_reference, balanced, frontier, end };
  // Repetition of a single character: none, "?", "*", "+", "-".
  enum class Repeat { once, optional, greedy, greedy_once, lazy };
  // One element of the pattern.
  struct Item {
    Kind kind = Kind::single;
    Repeat repeat = Repeat::once;  // for Kind::single
    std::bitset<256> set;          // single, frontier: the matching bytes
    size_t capture = 0;            // open, close, empty_capture, back_reference: number of the capture, from 0
    char from = 0, to = 0;         // balanced: the opening and the closing character
  };
  std::vector<Item> items_;  // the elements in order
  bool anchored_ = false;
  size_t captures_ = 0;  // number of captures
};

}  // namespace compeer::lua
