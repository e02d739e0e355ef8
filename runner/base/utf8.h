#pragma once
#include <cstddef>
#include <string_view>

namespace compeer {

/// Where the first byte stands that is no part of a well-formed UTF-8 character (nothing overlong, no halves of
/// surrogates, nothing beyond U+10FFFF); the text's size if there is none. Fast: whole corpora go through it.
size_t first_broken(std::string_view text);

}  // namespace compeer
