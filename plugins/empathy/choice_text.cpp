// Normalization of answers of chat models before labels are looked up in them.
#include "empathy/choice_text.h"

namespace compeer::empathy {

using Text = std::u32string;
using View = std::u32string_view;
constexpr auto npos = View::npos;

namespace {

// Keeps '\n', because the end of a line also ends a clause.
char32_t plain(char32_t c) {
  if (c >= U'A' && c <= U'Z') return c - U'A' + U'a';
  if (c == U'\t' || c == U'\r' || c == U'\u3000' || c == U'\u00a0') return U' ';
  if (c == U'。' || c == U'．') return U'.';
  if (c == U'、' || c == U'，') return U',';
  if (c == U'’' || c == U'‘') return U'\'';
  if (c == U'“' || c == U'”' || c == U'„' || c == U'«' || c == U'»') return U'"';
  if (c == U'—' || c == U'–') return U'-';
  if (c == U'→') return U':';
  if (c >= U'！' && c <= U'～') return plain(c - U'！' + U'!');  // of full width  // full-width forms
  return c;
}

// Arrows, emoji, variation selectors and zero-width characters.
bool is_symbol(char32_t c) {
  return (c >= 0x2190 && c <= 0x2bff) || (c >= 0x1f000 && c < 0x20000) || (c >= 0xfe00 && c <= 0xfe0f) ||
         (c >= 0x200b && c <= 0x200d) || c == 0xfeff;
}

}  // namespace

Text normalize(std::string_view bytes) {
  Text text;
  for (size_t i = 0; i < bytes.size();) {
    const auto c = static_cast<unsigned char>(bytes[i]);
    const size_t length = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    char32_t value = length == 1 ? c : c & (0xffU >> (length + 1));
    for (size_t k = 1; k < length && i + k < bytes.size(); ++k)
      value = (value << 6U) | (static_cast<unsigned char>(bytes[i + k]) & 0x3fU);
    text += plain(value);
    i += length;
  }
  return text;
}

bool is_word(char32_t c) { return (c >= U'a' && c <= U'z') || (c >= U'0' && c <= U'9'); }

bool is_decoration(char32_t c) {
  return c == U' ' || c == U'\n' || is_symbol(c) || View(U"\"'*_`~#>[](){}|$\\「」『』《》【】<").find(c) != npos;
}

View without_front(View text) {
  while (!text.empty() && is_decoration(text.front())) text.remove_prefix(1);
  return text;
}

View without_back(View text) {
  while (!text.empty() && is_decoration(text.back())) text.remove_suffix(1);
  return text;
}

View strip_punctuation(View text) {
  text = without_front(text);
  while (text.starts_with(U"- ") || text.starts_with(U"• ") || text.starts_with(U"· "))
    text = without_front(text.substr(2));
  text = without_back(text);
  while (!text.empty() && View(U".!,;:").find(text.back()) != npos)
    text = without_back(text.substr(0, text.size() - 1));
  return text;
}

}  // namespace compeer::empathy
