#pragma once
#include <algorithm>
#include <string>
#include <string_view>

namespace compeer::empathy {

inline bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }

/// Without white space (ASCII) at its ends.
inline std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// With ASCII letters in lower case.
inline std::string lower(std::string_view text) {
  std::string plain(text);
  for (char& c : plain) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return plain;
}

/// The beginning of a text in quotes, for a message. No character is cut.
inline std::string shown(std::string_view text) {
  constexpr size_t most = 40;
  if (text.size() <= most) return "'" + std::string(text) + "'";
  size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return "'" + std::string(text.substr(0, end)) + "...'";
}

/// Whether there is a Chinese character in it.
inline bool has_chinese(std::string_view text) {
  // U+4000 to U+9FFF in UTF-8, which is all of the usual characters and little else.
  return std::any_of(text.begin(), text.end(), [](char c) { return c >= '\xE4' && c <= '\xE9'; });
}

}  // namespace compeer::empathy
