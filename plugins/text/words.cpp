// Words, characters and hashes of texts.
#include "text/words.h"

namespace compeer::text {

namespace {

struct Utf8Character {
  char32_t code;
  size_t bytes;
};

bool follows(std::string_view text, size_t i) { return i < text.size() && (text[i] & 0xC0) == 0x80; }

constexpr Utf8Character broken{0xFFFD, 1};  // a byte that does not begin a well-formed character

// Decodes the character at the start of `text`.
Utf8Character first(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t bytes = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xC2 || lead > 0xF4) return broken;
  char32_t code = lead & (0xFF >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    if (!follows(text, i)) return broken;
    code = code << 6 | (text[i] & 0x3F);
  }
  const char32_t least = bytes == 2 ? 0x80 : bytes == 3 ? 0x800 : 0x10000;
  if (code < least || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return broken;
  return {code, bytes};
}

bool between(char32_t code, char32_t low, char32_t high) { return code >= low && code <= high; }

// True for scripts written without spaces: kana, Chinese characters and extensions.
bool stands_alone(char32_t c) {
  return between(c, 0x3041, 0x30FF) || between(c, 0x3400, 0x4DBF) || between(c, 0x4E00, 0x9FFF) ||
         between(c, 0xF900, 0xFAFF) || between(c, 0x20000, 0x3FFFF);
}

bool separates(char32_t c) {
  if (c < 0x80) return !(between(c, '0', '9') || between(c, 'a', 'z') || between(c, 'A', 'Z'));
  if (between(c, 0x80, 0xBF)) return c != 0xAA && c != 0xB5 && c != 0xBA;  // punctuation of Latin-1
  return between(c, 0x2000, 0x206F) || between(c, 0x3000, 0x303F) || between(c, 0xFF01, 0xFF0F) ||
         between(c, 0xFF1A, 0xFF20) || between(c, 0xFF3B, 0xFF40) || between(c, 0xFF5B, 0xFF65) || c == 0x30FB;
}

}  // namespace

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> found;
  bool inside = false;  // the last word may continue
  while (!text.empty()) {
    const auto [code, bytes] = first(text);
    if (separates(code)) {
      inside = false;
    } else if (stands_alone(code)) {
      found.emplace_back(text.substr(0, bytes));
      inside = false;
    } else {
      if (!inside) found.emplace_back();
      for (const char c : text.substr(0, bytes)) found.back() += between(c, 'A', 'Z') ? static_cast<char>(c + 32) : c;
      inside = true;
    }
    text.remove_prefix(bytes);
  }
  return found;
}

int64_t characters(std::string_view text) {
  int64_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(first(text).bytes);
  return count;
}

uint64_t hash(const std::string* first, const std::string* last) {
  uint64_t h = 0xCBF29CE484222325u;  // FNV-1a, 64 bits
  const auto add = [&](unsigned char byte) { h = (h ^ byte) * 0x100000001B3u; };
  for (; first != last; ++first) {
    for (const char c : *first) add(static_cast<unsigned char>(c));
    add(0x1F);  // no word contains this byte, so different runs of words hash different bytes
  }
  // FNV's high bits depend little on the last bytes, so mix before callers use only some of the bits.
  h = (h ^ (h >> 32)) * 0x9E3779B97F4A7C15u;
  return h ^ (h >> 32);
}

}  // namespace compeer::text
