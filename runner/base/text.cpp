// Checks and searches in text from untrusted sources, in linear time.
#include "base/text.h"

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

namespace compeer {

namespace {

// Returns the number of bytes of the non-ASCII UTF-8 character at `c`, of which `left` bytes exist; 0 if it is
// malformed.
size_t length(const unsigned char* c, size_t left) {
  const auto follows = [&](size_t i, unsigned char low = 0x80, unsigned char high = 0xBF) {
    return i < left && c[i] >= low && c[i] <= high;
  };
  const unsigned char lead = c[0];
  if (lead < 0xC2 || lead > 0xF4) return 0;
  if (lead < 0xE0) return follows(1) ? 2 : 0;
  if (lead < 0xF0) return follows(1, lead == 0xE0 ? 0xA0 : 0x80, lead == 0xED ? 0x9F : 0xBF) && follows(2) ? 3 : 0;
  return follows(1, lead == 0xF0 ? 0x90 : 0x80, lead == 0xF4 ? 0x8F : 0xBF) && follows(2) && follows(3) ? 4 : 0;
}

// Packed sizes are LEB128: groups of 7 bits, lowest first, with the highest bit set in all bytes but the last.
constexpr unsigned bits = 7;
constexpr uint64_t more = 1U << bits;

[[noreturn]] void cut_short() { throw std::runtime_error("packed texts are cut short"); }

uint64_t take_size(std::string_view& bytes) {
  uint64_t size = 0;
  for (unsigned shift = 0; shift < 64; shift += bits) {
    if (bytes.empty()) cut_short();
    const uint64_t group = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    size |= (group % more) << shift;
    if (group < more) return size;
  }
  cut_short();
}

}  // namespace

size_t first_broken(std::string_view text) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  for (size_t at = 0; at < text.size();) {
    if (uint64_t eight = 0; at + sizeof eight <= text.size()) {
      std::memcpy(&eight, bytes + at, sizeof eight);
      if ((eight & 0x8080808080808080u) == 0) {
        at += sizeof eight;
        continue;
      }
    }
    const size_t character = bytes[at] < 0x80 ? 1 : length(bytes + at, text.size() - at);
    if (character == 0) return at;
    at += character;
  }
  return text.size();
}

void refuse_utf16(std::string_view text, const std::string& file, Exit exit) {
  const bool marked = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
  const bool first = text.size() >= 4 && !text[0] && text[1] && !text[2] && text[3];   // big-endian
  const bool second = text.size() >= 4 && text[0] && !text[1] && text[2] && !text[3];  // little-endian
  if (!marked && !first && !second) return;
  const std::string from = marked ? "UTF-16" : first ? "UTF-16BE" : "UTF-16LE";
  throw Error(file, "is text in UTF-16, not in UTF-8",
              "convert it: iconv -f " + from + " -t UTF-8 " + file + " >" + file + ".utf8", exit);
}

size_t find_text(std::string_view text, std::string_view part, size_t from) {
  if (from > text.size()) return std::string_view::npos;
  if (part.empty()) return from;
  const auto rest = text.substr(from);
  const void* found = ::memmem(rest.data(), rest.size(), part.data(), part.size());
  return found ? static_cast<size_t>(static_cast<const char*>(found) - text.data()) : std::string_view::npos;
}

size_t find_last_text(std::string_view text, std::string_view part) {
  const std::string backwards(text.rbegin(), text.rend());
  const size_t found = find_text(backwards, std::string(part.rbegin(), part.rend()));
  return found == std::string_view::npos ? found : text.size() - found - part.size();
}

void put_packed(std::string_view text, std::string& bytes) {
  uint64_t size = text.size();
  for (; size >= more; size >>= bits) bytes += static_cast<char>((size % more) | more);
  bytes += static_cast<char>(size);
  bytes += text;
}

std::string_view take_packed(std::string_view& bytes) {
  const uint64_t size = take_size(bytes);
  if (size > bytes.size()) cut_short();
  const auto text = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return text;
}

}  // namespace compeer
