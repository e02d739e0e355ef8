#pragma once
#include <algorithm>
#include <string>
#include <string_view>

// Small text functions for the parsers of this folder. They depend on no locale.

namespace compeer::empathy {

/// True for ASCII white space.
inline bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }

/// Returns `text` without ASCII white space at its ends.
inline std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// True for an ASCII digit.
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Returns `text` with ASCII letters in lower case.
inline std::string lower(std::string_view text) {
  std::string plain(text);
  for (char& c : plain) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return plain;
}

/// Returns the text in single quotes, for messages. A text of more than 40 bytes is cut to its first 40 bytes, without
/// splitting a UTF-8 character, and "..." follows.
inline std::string quote_prefix(std::string_view text) {
  constexpr size_t most = 40;
  if (text.size() <= most) return "'" + std::string(text) + "'";
  size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return "'" + std::string(text.substr(0, end)) + "...'";
}

/// True if `text` (UTF-8) contains a Chinese character.
inline bool has_chinese(std::string_view text) {
  // A UTF-8 lead byte from E4 to E9 means U+4000 to U+9FFF: all common Chinese characters and few others.
  return std::any_of(text.begin(), text.end(), [](char c) { return c >= '\xE4' && c <= '\xE9'; });
}

}  // namespace compeer::empathy
