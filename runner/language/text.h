#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// UTF-8 and Unicode, as tokenizers and incremental decoding need them.

namespace compeer::language {

/// Bytes [begin, end) of a text.
struct ByteSpan {
  size_t begin = 0, end = 0;
  bool operator==(const ByteSpan&) const = default;
};

/// Returns the text in Unicode normalization form C. Bytes that are not UTF-8 become U+FFFD.
std::string normalize(std::string_view text);

/// The same for `text` in valid UTF-8, updating `spans` (ascending, not overlapping) to cover the same characters
/// afterwards. A span is first extended until it begins with, and is followed by, an ASCII character or the edge of the
/// text, so that it may cover more than before, never less.
std::string normalize(std::string_view text, std::vector<ByteSpan>& spans);

/// Returns valid UTF-8: each invalid byte sequence becomes one U+FFFD.
std::string valid_utf8(std::string_view bytes);

/// Removes all complete characters from the front of `bytes` and returns them, repaired as by `valid_utf8`. Bytes that
/// may still become a character stay (at most three).
std::string take_complete_characters(std::string& bytes);

/// A character of a UTF-8 text.
struct Character {
  int32_t code;   ///< code point
  size_t length;  ///< bytes
};
/// Return the first and the last character of `text`, which must be valid UTF-8 and not empty.
Character first_character(std::string_view text);
Character last_character(std::string_view text);

/// True for code points of Unicode's White_Space.
bool is_space(int32_t code);
/// True for code points of word characters in regular expressions (\w).
bool is_word(int32_t code);

}  // namespace compeer::language
