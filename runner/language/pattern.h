#pragma once
#include <string>

namespace compeer::language {

/// Tokenizer files carry regular expressions of Oniguruma, which knows a later Unicode than PCRE2 does here. Returns
/// what means the same to PCRE2 for the constructs that tokenizers use: \s and \S are Unicode's White_Space, \p{L},
/// \p{N} and their like hold the characters added since, sets may stand in sets. Throws Error (exit 4) naming `where`
/// for what can't be said so.
std::string pcre_pattern(const std::string& pattern, const std::string& where);

}  // namespace compeer::language
