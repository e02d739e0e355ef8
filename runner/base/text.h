#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"

namespace compeer {

/// Where the first byte stands that is no part of a well-formed UTF-8 character (nothing overlong, no halves of
/// surrogates, nothing beyond U+10FFFF); the text's size if there is none. Fast: whole corpora go through it.
size_t first_broken(std::string_view text);

/// Throws Error with the command that converts `file` if `text`, its contents or their beginning, is UTF-16: it begins
/// with a byte order mark, or every other of its first four bytes is zero.
void refuse_utf16(std::string_view text, const std::string& file, Exit exit = Exit::data);

/// std::string_view::find in time linear in both texts. The library's takes the product of their lengths for what a
/// stranger can write down in a line: a million times "a", and "b" behind half as many.
size_t find_text(std::string_view text, std::string_view part, size_t from = 0);

/// The same for std::string_view::rfind. Copies both, so that many parts of one text are better looked for from the
/// front.
size_t find_last_text(std::string_view text, std::string_view part);

/// Texts of any bytes, one behind the other in one string, each behind its size: to travel between ranks, or to lie in
/// little memory. The form is nobody's who writes files.
void put_packed(std::string_view text, std::string& bytes);

/// The first of them, which stays where it is; `bytes` goes on behind it. Throws std::runtime_error if it is cut short.
std::string_view take_packed(std::string_view& bytes);

}  // namespace compeer
