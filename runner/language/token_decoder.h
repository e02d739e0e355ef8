#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "language/normal_form.h"

namespace compeer::language {

/// How the tokens of a file stand for text: its decoder. Either in GPT-2's spelling (spelling.h) or, as SentencePiece
/// has them, as text in which a mark stands for a space, and with tokens for single bytes ("<0x0A>").
struct TokenDecoder {
  bool byte_level = true;
  std::vector<TextReplacement> replacements;  ///< within each token
  bool byte_fallback = false;                 ///< there are tokens for bytes
  std::string strip;                          ///< this character is left out ...
  size_t strip_start = 0;                     ///< ... up to so many times where a text begins

  /// What one token stands for.
  std::string bytes(std::string_view token) const;
  /// Whether it is a token for a byte: a run of those is text if it is UTF-8 as a whole, and otherwise U+FFFD for each.
  bool is_byte(std::string_view token) const;
};

/// The token for a byte, and back.
std::string byte_token(uint8_t byte);
std::optional<uint8_t> byte_of_token(std::string_view token);

}  // namespace compeer::language
