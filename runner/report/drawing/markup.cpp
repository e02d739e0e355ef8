// Writes and escapes markup.
#include "report/drawing/markup.h"

#include <cstdint>

namespace compeer::report {

namespace {

/// Returns the length of the valid UTF-8 character at the beginning of `text`, or 0. Rejects overlong forms,
/// surrogates, the two non-characters that XML forbids, and truncated characters.
size_t character(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  const size_t length = first < 0x80   ? 1
                        : first < 0xC2 ? 0
                        : first < 0xE0 ? 2
                        : first < 0xF0 ? 3
                        : first < 0xF5 ? 4
                                       : 0;
  if (length == 0 || text.size() < length) return 0;
  uint32_t code = length == 1 ? first : first & (0xFF >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = (code << 6) | (byte(i) & 0x3F);
  }
  const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return 0;
  return code == 0xFFFE || code == 0xFFFF ? 0 : length;
}

bool forbidden(char c) { return (static_cast<uint8_t>(c) < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7F; }

std::string_view entity(char c) {
  constexpr std::pair<char, std::string_view> entities[] = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  for (const auto& [plain, name] : entities) {
    if (c == plain) return name;
  }
  return {};
}

}  // namespace

std::string escape(std::string_view text) {
  std::string safe;
  safe.reserve(text.size() + text.size() / 16);
  while (!text.empty()) {
    const size_t length = character(text);
    if (length == 0 || forbidden(text[0])) {
      safe += "\xEF\xBF\xBD";
    } else if (const auto name = entity(text[0]); !name.empty()) {
      safe += name;
    } else {
      safe += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return safe;
}

Markup::Scope::~Scope() {
  if (!markup_) return;
  markup_->bytes_ += "</";
  markup_->bytes_ += name_;
  markup_->bytes_ += '>';
}

Markup::Scope Markup::open(std::string_view name, Attributes attributes) {
  start(name, attributes);
  bytes_ += '>';
  return Scope(*this, name);
}

void Markup::element(std::string_view name, Attributes attributes, std::string_view inner) {
  const auto scope = open(name, attributes);
  text(inner);
}

void Markup::empty(std::string_view name, Attributes attributes) {
  start(name, attributes);
  bytes_ += "/>";
}

void Markup::text(std::string_view text) { bytes_ += escape(text); }

void Markup::start(std::string_view name, Attributes attributes) {
  bytes_ += '<';
  bytes_ += name;
  for (const auto& [key, value] : attributes) {
    bytes_ += ' ';
    bytes_ += key;
    bytes_ += "=\"";
    bytes_ += escape(value);
    bytes_ += '"';
  }
}

}  // namespace compeer::report
