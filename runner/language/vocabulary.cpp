// GPT-2's byte spelling, and the table of tokens.
#include "language/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>

#include "base/error.h"

namespace compeer::language {

namespace {

constexpr int codes = 0x144;  // the largest spelling is U+0143

struct Spelling {
  std::array<uint16_t, 256> code{};
  std::array<int16_t, codes> byte{};

  // Printable bytes are spelled as themselves, the others as U+0100, U+0101, ... in order.
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
constexpr Spelling byte_spelling;

// Returns the code point at `at` if it has one or two bytes, otherwise -1, and advances `at`.
int take_code(std::string_view text, size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  if (first < 0x80) return first;
  if (first < 0xC2 || first > 0xC5 || at == text.size()) return -1;
  return (first & 0x1F) << 6 | (static_cast<unsigned char>(text[at++]) & 0x3F);
}

uint32_t hash_of(std::string_view text) { return static_cast<uint32_t>(std::hash<std::string_view>()(text)); }

}  // namespace

std::string spell_bytes(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const int code = byte_spelling.code[static_cast<unsigned char>(c)];
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
    const int byte = code < 0 || code >= codes ? -1 : byte_spelling.byte[static_cast<size_t>(code)];
    if (byte < 0) return std::string(text);
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

int32_t checked_id(int64_t id, const std::string& token, const std::string& where) {
  if (id < 0 || id >= Vocabulary::id_limit) {
    throw Error(where, fmt::format("token '{}' has id {}", token.substr(0, 100), id),
                fmt::format("use whole numbers from 0 to {} as ids", Vocabulary::id_limit - 1), Exit::data);
  }
  return static_cast<int32_t>(id);
}

std::string_view Vocabulary::TextTable::at(int32_t i) const {
  const auto n = static_cast<size_t>(i);
  const uint32_t begin = n == 0 ? 0 : ends[n - 1];
  return std::string_view(all).substr(begin, ends[n] - begin);
}

void Vocabulary::TextTable::add(std::string_view text) {
  all += text;
  ends.push_back(static_cast<uint32_t>(all.size()));
}

Vocabulary::Vocabulary(const std::vector<TokenId>& tokens, const std::string& where,
                       const std::function<std::string(std::string_view)>& bytes) {
  int32_t size = 0;
  for (const auto& [token, id] : tokens) size = std::max(size, checked_id(id, token, where) + 1);
  std::vector<const std::string*> by_id(static_cast<size_t>(size), nullptr);
  for (const auto& [token, id] : tokens) {
    const std::string*& place = by_id[static_cast<size_t>(id)];
    if (place)
      throw Error(where, fmt::format("tokens '{}' and '{}' both have id {}", *place, token, id), "", Exit::data);
    place = &token;
  }
  slots_.assign(std::bit_ceil(2 * tokens.size() + 2), HashSlot{0});
  for (int32_t id = 0; id < size; ++id) {
    const std::string* token = by_id[static_cast<size_t>(id)];
    spelled_.add(token ? *token : "");
    bytes_.add(token ? bytes(*token) : "");
    if (!token) continue;
    const uint32_t hash = hash_of(*token);
    HashSlot& place = slots_[slot(*token, hash)];
    if (place.id >= 0)
      throw Error(where, fmt::format("token '{}' occurs twice", token->substr(0, 100)), "", Exit::data);
    place = {hash, id};
  }
}

size_t Vocabulary::slot(std::string_view spelled, uint32_t hash) const {
  const size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  while (slots_[at].id >= 0 && (slots_[at].hash != hash || spelled_.at(slots_[at].id) != spelled)) at = (at + 1) & mask;
  return at;
}

int32_t Vocabulary::id(std::string_view spelled) const { return slots_[slot(spelled, hash_of(spelled))].id; }

std::string_view Vocabulary::spelled(int32_t id) const {
  return id < 0 || id >= size() ? std::string_view() : spelled_.at(id);
}

std::string_view Vocabulary::bytes(int32_t id) const {
  return id < 0 || id >= size() ? std::string_view() : bytes_.at(id);
}

}  // namespace compeer::language
