#pragma once
#include <string>
#include <string_view>

namespace compeer::empathy {

/// An answer as characters that can be compared: small letters, ASCII for what is of full width and for quotes and
/// dashes of any kind, blanks for all white space but the ends of lines.
std::u32string decoded(std::string_view bytes);

/// A letter or digit of ASCII: a label made of these ends where they do.
bool is_word(char32_t c);

/// White space, quotes, brackets, marks of emphasis, pictures: what may stand around a label and says nothing.
bool is_decoration(char32_t c);

std::u32string_view without_front(std::u32string_view text);
std::u32string_view without_back(std::u32string_view text);

/// Without decoration and bullets at its ends, nor what may end a clause; a question mark stays.
std::u32string_view bare(std::u32string_view text);

}  // namespace compeer::empathy
