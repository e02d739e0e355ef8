#include "language/text.h"

#include <utf8proc.h>

#include <cstdlib>
#include <memory>

namespace compeer::language {

namespace {
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Length of the longest prefix that could still begin a character: how much one U+FFFD stands for.
size_t broken_length(std::string_view bytes) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char lead = byte(0);
  const size_t want = lead >= 0xF0 && lead <= 0xF4  ? 4
                      : lead >= 0xE0 && lead < 0xF0 ? 3
                      : lead >= 0xC2 && lead < 0xE0 ? 2
                                                    : 1;
  size_t n = 1;
  for (; n < want && n < bytes.size(); ++n) {
    const unsigned char low = n == 1 && lead == 0xE0 ? 0xA0 : n == 1 && lead == 0xF0 ? 0x90 : 0x80;
    const unsigned char high = n == 1 && lead == 0xED ? 0x9F : n == 1 && lead == 0xF4 ? 0x8F : 0xBF;
    if (byte(n) < low || byte(n) > high) break;
  }
  return n;
}
}  // namespace

std::string valid_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    utf8proc_int32_t code = -1;
    const auto n = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(bytes.data()),
                                    static_cast<utf8proc_ssize_t>(bytes.size()), &code);
    if (n > 0) {
      text += bytes.substr(0, static_cast<size_t>(n));
      bytes.remove_prefix(static_cast<size_t>(n));
    } else {
      text += kReplacement;
      bytes.remove_prefix(broken_length(bytes));
    }
  }
  return text;
}

std::string normalize(std::string_view text) {
  const std::string valid = valid_utf8(text);
  utf8proc_uint8_t* result = nullptr;
  const auto n =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(valid.data()), static_cast<utf8proc_ssize_t>(valid.size()),
                   &result, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(result, std::free);
  return n < 0 ? valid : std::string(reinterpret_cast<const char*>(result), static_cast<size_t>(n));
}

}  // namespace compeer::language
