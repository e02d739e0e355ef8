#include "base/utf8.h"

#include <cstdint>
#include <cstring>

namespace compeer {

namespace {

// The bytes of the character at `c`, which is not ASCII; 0: it is none.
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

}  // namespace compeer
