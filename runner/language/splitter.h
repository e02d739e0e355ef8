#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace compeer::language {

/// How the matches of a Split become pieces, by the names of tokenizer files. `isolated`: each is a piece; `removed`:
/// dropped; `merged_with_previous`, `merged_with_next`: joined to the text before or after; `contiguous`: a run of
/// adjacent matches is one piece.
enum class SplitBehavior { isolated, removed, merged_with_previous, merged_with_next, contiguous };

/// Splits text by a regular expression of a tokenizer file. Thread-safe.
class Splitter {
 public:
  /// `pattern`: in Oniguruma's syntax. `invert`: swap matches and the text between them. Throws Error (exit 4), located
  /// at `where`, if the pattern is invalid or not supported.
  Splitter(const std::string& pattern, const std::string& where, SplitBehavior behavior = SplitBehavior::isolated,
           bool invert = false);
  Splitter(Splitter&&) noexcept;
  ~Splitter();

  /// Returns the pieces of `text`, which must be valid UTF-8, in order, as views into it; together they are the whole
  /// text unless matches are removed. An empty match splits, too. Throws Error (exit 4) if matching takes more than 10
  /// million steps plus 256 per byte.
  std::vector<std::string_view> split(std::string_view text) const;

 private:
  struct Pattern;
  std::unique_ptr<Pattern> pattern_;
};

/// Returns a pattern that matches exactly `text`.
std::string escaped_pattern(const std::string& text);

}  // namespace compeer::language
