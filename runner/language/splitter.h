#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace compeer::language {

/// What of a text a step of a pre-tokenizer keeps.
enum class Keep { both, matches, gaps };

/// Cuts text by a regular expression of a tokenizer file.
class Splitter {
 public:
  /// Throws Error (exit 4) naming `where` if the pattern is not understood.
  Splitter(const std::string& pattern, const std::string& where, Keep keep = Keep::both);
  Splitter(Splitter&&) noexcept;
  ~Splitter();

  /// Matches and what lies between them, in order. With Keep::both together the whole text (valid UTF-8).
  /// Throws Error (exit 4) if the pattern takes too long on this text.
  std::vector<std::string_view> split(std::string_view text) const;

 private:
  struct Pattern;
  std::unique_ptr<Pattern> pattern_;
};

}  // namespace compeer::language
