#include "language/token_decoder.h"

#include <fmt/format.h>

#include <charconv>

#include "language/spelling.h"

namespace compeer::language {

namespace {

std::string with_replacements(std::string_view token, const std::vector<TextReplacement>& replacements) {
  std::string text(token);
  for (const TextReplacement& replacement : replacements) text = replaced(text, replacement);
  return text;
}

}  // namespace

std::string byte_token(uint8_t byte) { return fmt::format("<0x{:02X}>", byte); }

std::optional<uint8_t> byte_of_token(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || !token.ends_with('>')) return {};
  uint8_t byte = 0;
  const auto [end, error] = std::from_chars(token.data() + 3, token.data() + 5, byte, 16);
  if (error != std::errc() || end != token.data() + 5) return {};
  return byte;
}

bool TokenDecoder::is_byte(std::string_view token) const {
  return byte_fallback && byte_of_token(with_replacements(token, replacements)).has_value();
}

std::string TokenDecoder::bytes(std::string_view token) const {
  if (byte_level) return unspell_bytes(token);
  std::string text = with_replacements(token, replacements);
  const auto byte = byte_fallback ? byte_of_token(text) : std::nullopt;
  return byte ? std::string(1, static_cast<char>(*byte)) : text;
}

}  // namespace compeer::language
