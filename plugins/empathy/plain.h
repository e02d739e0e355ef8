#pragma once
#include <algorithm>
#include <string_view>

namespace compeer::empathy {

inline bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }

/// Without white space (ASCII) at its ends.
inline std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// Whether there is a Chinese character in it.
inline bool has_chinese(std::string_view text) {
  // U+4000 to U+9FFF in UTF-8, which is all of the usual characters and little else.
  return std::any_of(text.begin(), text.end(), [](char c) { return c >= '\xE4' && c <= '\xE9'; });
}

}  // namespace compeer::empathy
