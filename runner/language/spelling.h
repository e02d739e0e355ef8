#pragma once
#include <string>
#include <string_view>

namespace compeer::language {

/// GPT-2's spelling of bytes as printable characters, as vocabularies are written: a space is U+0120.
std::string spell_bytes(std::string_view bytes);

/// Back. A text with a character that spells no byte (an added token, perhaps) stands for itself.
std::string unspell_bytes(std::string_view text);

}  // namespace compeer::language
