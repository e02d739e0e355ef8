#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace compeer::text {

// Words, characters and hashes of texts, for measures of length, repetition and similarity in plugins.

/// Returns the words of a text: runs of letters and digits, with ASCII letters in lower case; each Chinese or Japanese
/// character is a word. Punctuation and white space separate words and are dropped. Bytes that are not UTF-8 count as
/// letters. The result is the same on every machine.
std::vector<std::string> words(std::string_view text);

/// Returns the number of characters (Unicode code points) of a text in UTF-8; a byte that is not UTF-8 counts as one.
int64_t characters(std::string_view text);

/// Returns a 64-bit hash of the sequence of words from `first` to before `last`. It is the same on every machine and in
/// every version; all bits are well mixed.
uint64_t hash(const std::string* first, const std::string* last);

}  // namespace compeer::text
