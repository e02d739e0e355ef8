#pragma once
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "language/text.h"

// The texts that chat templates compute with.

namespace compeer::language::jinja {

/// An error in a template or its evaluation. The evaluator converts it to an Error with the line.
struct TemplateError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A UTF-8 string that records for each byte whether it comes from the template or from data (the conversation). All
/// operations preserve this, so that special tokens can be recognised in the template's text only. Operations throw
/// TemplateError if a text exceeds `limit` bytes.
class Text {
 public:
  static constexpr size_t limit = size_t{1} << 25;  ///< most bytes of a text

  Text() = default;
  /// `data`: the bytes come from data; false: from the template.
  explicit Text(std::string_view bytes, bool data = false) { append(bytes, data); }

  const std::string& bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }

  /// Appends bytes. `data`: they come from data; false: from the template.
  void append(std::string_view bytes, bool data);
  void append(const Text& other);
  Text substr(size_t begin, size_t end) const;  ///< bytes [begin, end)

  /// True if a byte comes from data.
  bool has_data() const { return marks_.find('d') != std::string::npos; }
  /// True if the byte at this offset comes from data.
  bool is_data(size_t byte) const { return marks_[byte] == 'd'; }
  /// Returns the spans of data, ascending, not overlapping.
  std::vector<ByteSpan> data() const;

 private:
  std::string bytes_;
  std::string marks_;  // one per byte: 't' for the template, 'd' for data
};

// Methods of Python's str, with Python's results; results keep for each byte whether it comes from data. `most`:
// largest number of cuts or replacements, counted from the start; SIZE_MAX: no limit.

/// True for white space that str.strip() removes.
bool is_blank(int32_t code);
/// Removes white space, or any of `characters`, from the start if `left` and from the end if `right`.
Text strip(const Text& text, bool left, bool right);
Text strip(const Text& text, bool left, bool right, std::string_view characters);
std::vector<Text> split(const Text& text, size_t most);  ///< splits at runs of white space
std::vector<Text> split(const Text& text, std::string_view separator, size_t most);
/// rsplit: the cuts are counted from the end; the parts are in the order of the text.
std::vector<Text> split_from_right(const Text& text, std::string_view separator, size_t most);
std::vector<Text> split_lines(const Text& text, bool keep_ends);  ///< keep_ends: lines include their line ends
/// Replaces occurrences of `old` by `with`.
Text replace(const Text& text, std::string_view old, const Text& with, size_t most);
Text upper(const Text& text);
Text lower(const Text& text);
Text title(const Text& text);       ///< upper-case letters that follow no letter, lower-case all others
Text capitalize(const Text& text);  ///< upper-case first character, lower-case rest

/// Returns the number of characters.
size_t length(const Text& text);
/// Returns the byte offset of each character, and the size of the text as the last element.
std::vector<size_t> character_starts(const Text& text);

}  // namespace compeer::language::jinja
