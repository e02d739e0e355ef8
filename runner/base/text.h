#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"

/// Checks and searches of text, in linear time even for adversarial input, and packing of texts into one string.
namespace compeer {

/// Returns the offset of the first byte that is not part of a well-formed UTF-8 character (overlong forms, surrogates
/// and code points above U+10FFFF are malformed), or the size of the text if there is none. Skips ASCII 8 bytes at a
/// time, because whole corpora are checked.
size_t first_broken(std::string_view text);

/// Throws Error with exit code `exit` if `text` is UTF-16: it starts with a byte order mark, or every other of its
/// first four bytes is zero. `text`: contents of `file`, or their beginning. The Error's help is the command that
/// converts the file.
void refuse_utf16(std::string_view text, const std::string& file, Exit exit = Exit::data);

/// Returns the offset of the first occurrence of `part` in `text` at or after `from`; npos if there is none. Like
/// std::string_view::find, but in time linear in both texts. The standard library takes time proportional to the
/// product of their lengths for adversarial input such as "aaa...a" and "aaa...ab".
size_t find_text(std::string_view text, std::string_view part, size_t from = 0);

/// Returns the offset of the last occurrence of `part` in `text`; npos if there is none. Like std::string_view::rfind,
/// but in linear time. Copies both texts; to find many parts of one text, use find_text().
size_t find_last_text(std::string_view text, std::string_view part);

/// Appends `text` (any bytes), preceded by its size as a variable-length integer, to `bytes`. For messages between
/// ranks (processes of a run) and compact lists in memory; not a file format.
void put_packed(std::string_view text, std::string& bytes);

/// Removes the first text that `put_packed` appended from the front of `bytes` and returns it as a view of the same
/// memory. Throws std::runtime_error if it is truncated.
std::string_view take_packed(std::string_view& bytes);

}  // namespace compeer
