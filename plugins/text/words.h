#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace compeer::text {

/// The words of a text, for counting and comparing: runs of letters and digits, ASCII in lower case; each character
/// of Chinese or Japanese writing is a word by itself. Punctuation and white space separate words and are left out;
/// bytes that are no UTF-8 count as letters. Every word of every text is the same on any machine.
std::vector<std::string> words(std::string_view text);

/// Characters (code points) of a text; a byte that is no UTF-8 counts as one.
int64_t characters(std::string_view text);

/// One number for a run of words, the same on any machine and in any version: 64 bits, well mixed.
uint64_t hash(const std::string* first, const std::string* last);

}  // namespace compeer::text
