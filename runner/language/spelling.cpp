#include "language/spelling.h"

#include <array>
#include <cstdint>

namespace compeer::language {

namespace {

constexpr int kCodes = 0x144;  // the largest spelling is U+0143

struct Spelling {
  std::array<uint16_t, 256> code{};
  std::array<int16_t, kCodes> byte{};

  // Printable bytes stand for themselves; the others for U+0100, U+0101, ... in order.
  constexpr Spelling() {
    byte.fill(-1);
    uint16_t next = 256;
    for (int b = 0; b < 256; ++b) {
      const bool printable = (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
      const uint16_t spelled = printable ? static_cast<uint16_t>(b) : next++;
      code[static_cast<size_t>(b)] = spelled;
      byte[spelled] = static_cast<int16_t>(b);
    }
  }
};
constexpr Spelling kSpelling;

// The code of the character at `at`, if it is one of one or two bytes; `at` moves behind it.
int take_code(std::string_view text, size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  if (first < 0x80) return first;
  if (first < 0xC2 || first > 0xC5 || at == text.size()) return -1;
  return (first & 0x1F) << 6 | (static_cast<unsigned char>(text[at++]) & 0x3F);
}

}  // namespace

std::string spell_bytes(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const int code = kSpelling.code[static_cast<unsigned char>(c)];
    if (code < 0x80) {
      text += static_cast<char>(code);
    } else {
      text += static_cast<char>(0xC0 | code >> 6);
      text += static_cast<char>(0x80 | (code & 0x3F));
    }
  }
  return text;
}

std::string unspell_bytes(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const int code = take_code(text, at);
    const int byte = code < 0 || code >= kCodes ? -1 : kSpelling.byte[static_cast<size_t>(code)];
    if (byte < 0) return std::string(text);
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

}  // namespace compeer::language
