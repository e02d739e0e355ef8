#pragma once
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "language/text.h"

namespace compeer::language::jinja {

/// What is wrong with a template or what it does. Who knows the line makes an Error of it.
struct Trouble : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// UTF-8 of which every byte knows whose it is: the template's own, or data's, that is, what people and models wrote.
/// All that templates do with text keeps this. No text grows beyond `limit` bytes: Trouble.
class Text {
 public:
  static constexpr size_t limit = size_t{1} << 25;

  Text() = default;
  explicit Text(std::string_view bytes, bool data = false) { append(bytes, data); }

  const std::string& bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }

  void append(std::string_view bytes, bool data);
  void append(const Text& other);
  Text part(size_t begin, size_t end) const;  ///< bytes [begin, end)

  bool has_data() const { return marks_.find('d') != std::string::npos; }
  bool is_data(size_t byte) const { return marks_[byte] == 'd'; }
  /// Where data is, in order and apart.
  std::vector<ByteSpan> data() const;

 private:
  std::string bytes_;
  std::string marks_;  // as long as bytes_: 't' for the template's, 'd' for data
};

/// Python's str methods, over characters where it matters.
bool is_blank(int32_t code);  ///< what str.strip() takes away
Text strip(const Text& text, bool left, bool right);
Text strip(const Text& text, bool left, bool right, std::string_view characters);
std::vector<Text> split(const Text& text, size_t most);  ///< at white space; at most `most` cuts
std::vector<Text> split(const Text& text, std::string_view separator, size_t most);
std::vector<Text> split_from_right(const Text& text, std::string_view separator, size_t most);
std::vector<Text> split_lines(const Text& text, bool keep_ends);
Text replace(const Text& text, std::string_view old, const Text& with, size_t most);
Text upper(const Text& text);
Text lower(const Text& text);
Text title(const Text& text);       ///< str.title: a letter is large where none stands before it
Text capitalize(const Text& text);  ///< the first character large, the rest small

/// Characters, and where each begins, with the end as one more.
size_t length(const Text& text);
std::vector<size_t> character_starts(const Text& text);

}  // namespace compeer::language::jinja
