#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace compeer::language {

/// Bytes [begin, end) of a text.
struct ByteSpan {
  size_t begin = 0, end = 0;
  bool operator==(const ByteSpan&) const = default;
};

/// Unicode normal form C. Bytes that are not UTF-8 become U+FFFD.
std::string normalize(std::string_view text);

/// The same for valid UTF-8 in which some spans matter (in order, apart): they are moved to where their characters are
/// afterwards. A span whose edge is no ASCII character grows to the next one, so that it may hold more, never less.
std::string normalize(std::string_view text, std::vector<ByteSpan>& spans);

/// As UTF-8: every byte sequence that is none becomes one U+FFFD.
std::string valid_utf8(std::string_view bytes);

/// Takes what is settled off the front of `bytes`, repaired as `valid_utf8` does; what could still become a character
/// stays (at most three bytes).
std::string take_settled(std::string& bytes);

/// The character that `text`, which is valid UTF-8 and not empty, begins or ends with; its length in bytes.
struct Character {
  int32_t code;
  size_t length;
};
Character first_character(std::string_view text);
Character last_character(std::string_view text);

/// Unicode's White_Space, and what regular expressions call a word character.
bool is_space(int32_t code);
bool is_word(int32_t code);

}  // namespace compeer::language
