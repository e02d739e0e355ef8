#include "language/byte_pairs.h"

#include <utf8proc.h>

#include <array>
#include <limits>

#include "base/error.h"

namespace compeer::language {

namespace {

// Printable bytes stand for themselves; the others for U+0100, U+0101, ... in order.
std::array<int32_t, 256> spelling() {
  std::array<int32_t, 256> code{};
  int32_t next = 256;
  for (int b = 0; b < 256; ++b) {
    const bool printable = (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
    code[static_cast<size_t>(b)] = printable ? b : next++;
  }
  return code;
}

uint64_t key(int32_t left, int32_t right) {
  return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
}

}  // namespace

std::string spell_bytes(std::string_view bytes) {
  static const auto code = spelling();
  std::string text;
  for (const char c : bytes) {
    utf8proc_uint8_t out[4];
    const auto n = utf8proc_encode_char(code[static_cast<unsigned char>(c)], out);
    text.append(reinterpret_cast<char*>(out), static_cast<size_t>(n));
  }
  return text;
}

std::string unspell_bytes(std::string_view text) {
  static const auto byte_of = [] {
    std::unordered_map<int32_t, char> map;
    const auto code = spelling();
    for (int b = 0; b < 256; ++b) map[code[static_cast<size_t>(b)]] = static_cast<char>(b);
    return map;
  }();
  std::string bytes;
  while (!text.empty()) {
    utf8proc_int32_t code = -1;
    auto n = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                              static_cast<utf8proc_ssize_t>(text.size()), &code);
    if (n <= 0) n = 1, code = -1;
    const auto found = byte_of.find(code);
    if (found != byte_of.end()) {
      bytes += found->second;
    } else {
      bytes += text.substr(0, static_cast<size_t>(n));
    }
    text.remove_prefix(static_cast<size_t>(n));
  }
  return bytes;
}

BytePairs::BytePairs(const std::unordered_map<std::string, int32_t>& vocabulary,
                     const std::vector<std::pair<std::string, std::string>>& merges, const std::string& where)
    : byte_id_(256, -1) {
  const auto id = [&](const std::string& token) {
    const auto found = vocabulary.find(token);
    if (found == vocabulary.end())
      throw Error(where, "a merge makes '" + token + "', which is not in the vocabulary", "", Exit::data);
    return found->second;
  };
  for (const auto& [token, number] : vocabulary) bytes_[number] = unspell_bytes(token);
  for (int b = 0; b < 256; ++b) {
    const auto found = vocabulary.find(spell_bytes(std::string(1, static_cast<char>(b))));
    if (found == vocabulary.end())
      throw Error(where, "the vocabulary has no token for byte " + std::to_string(b), "", Exit::data);
    byte_id_[static_cast<size_t>(b)] = found->second;
  }
  int32_t rank = 0;
  for (const auto& [left, right] : merges)
    merges_.try_emplace(key(id(left), id(right)), Merge{rank++, id(left + right)});
}

void BytePairs::encode(std::string_view word, std::vector<int32_t>& ids) const {
  const size_t start = ids.size();
  for (const char c : word) ids.push_back(byte_id_[static_cast<unsigned char>(c)]);
  while (ids.size() - start > 1) {
    Merge best{std::numeric_limits<int32_t>::max(), -1};
    size_t at = 0;
    for (size_t i = start; i + 1 < ids.size(); ++i) {
      const auto found = merges_.find(key(ids[i], ids[i + 1]));
      if (found != merges_.end() && found->second.rank < best.rank) best = found->second, at = i;
    }
    if (best.result < 0) return;
    ids[at] = best.result;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
}

const std::string* BytePairs::bytes(int32_t id) const {
  const auto found = bytes_.find(id);
  return found == bytes_.end() ? nullptr : &found->second;
}

}  // namespace compeer::language
