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

}  // namespace compeer
