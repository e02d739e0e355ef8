#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace compeer::language {

/// What becomes of the matches of a Split, by the names that tokenizer files have for it. `contiguous`: matches that
/// touch are one piece.
enum class SplitBehavior { isolated, removed, merged_with_previous, merged_with_next, contiguous };

/// Cuts text by a regular expression of a tokenizer file.
class Splitter {
 public:
  /// invert: what lies between matches counts as match, and the other way round. Throws Error (exit 4) naming `where`
  /// if the pattern is not understood.
  Splitter(const std::string& pattern, const std::string& where, SplitBehavior behavior = SplitBehavior::isolated,
           bool invert = false);
  Splitter(Splitter&&) noexcept;
  ~Splitter();

  /// Pieces of the text (valid UTF-8), in order; together all of it unless matches are removed. A match of no
  /// characters cuts, too. Throws Error (exit 4) if the pattern takes more steps on the text than 10 million and 256
  /// for each byte.
  std::vector<std::string_view> split(std::string_view text) const;

 private:
  struct Pattern;
  std::unique_ptr<Pattern> pattern_;
};

/// A pattern that matches this text alone.
std::string escaped_pattern(const std::string& text);

}  // namespace compeer::language
