#pragma once
#include <string>
#include <string_view>

namespace compeer::language {

/// Unicode normal form C. Bytes that are not UTF-8 become U+FFFD.
std::string normalize(std::string_view text);

/// As UTF-8: every byte sequence that is none becomes one U+FFFD.
std::string valid_utf8(std::string_view bytes);

}  // namespace compeer::language
