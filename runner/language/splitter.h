#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// The split step of pre-tokenizers: cuts text into words, which byte-pair encoding then encodes one by one.

namespace compeer::language {

/// How the matches of the regular expression become pieces, by the names of tokenizer files (step "Split").
enum class SplitBehavior {
  isolated,              ///< each match is a piece
  removed,               ///< matches are dropped
  merged_with_previous,  ///< a match is joined to the text before it
  merged_with_next,      ///< a match is joined to the text after it
  contiguous             ///< a run of adjacent matches is one piece
};

/// Splits text by a regular expression of a tokenizer file. Thread-safe.
class Splitter {
 public:
  /// `pattern`: in Oniguruma's syntax. `invert`: swap matches and the text between them. Throws Error (exit code 4:
  /// invalid data), located at `where`, if the pattern is invalid or not supported.
  Splitter(const std::string& pattern, const std::string& where, SplitBehavior behavior = SplitBehavior::isolated,
           bool invert = false);
  Splitter(Splitter&&) noexcept;
  ~Splitter();

  /// Returns the pieces of `text`, which must be valid UTF-8, in order, as views into it; together they are the whole
  /// text unless matches are removed. An empty match splits, too. Throws Error (exit code 4) if matching takes more
  /// than 10 million steps plus 256 per byte.
  std::vector<std::string_view> split(std::string_view text) const;

 private:
  struct Pattern;  // the compiled expression
  std::unique_ptr<Pattern> pattern_;
};

/// Returns a regular expression that matches exactly `text`.
std::string escaped_pattern(const std::string& text);

}  // namespace compeer::language
