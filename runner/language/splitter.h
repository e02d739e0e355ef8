#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace compeer::language {

/// Cuts text into the words that byte pairs may not cross, by the pattern of a tokenizer file.
class Splitter {
 public:
  /// Throws Error (exit 4) naming `where` if the pattern is not understood.
  Splitter(const std::string& pattern, const std::string& where);
  Splitter(Splitter&&) noexcept;
  ~Splitter();

  /// Matches and what lies between them, in order: together the whole text (valid UTF-8).
  std::vector<std::string_view> split(std::string_view text) const;

 private:
  struct Pattern;
  std::unique_ptr<Pattern> pattern_;
};

}  // namespace compeer::language
