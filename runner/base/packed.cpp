#include "base/packed.h"

#include <cstdint>
#include <stdexcept>

namespace compeer {

namespace {

// A size is written in groups of 7 bits, the lowest first, with the highest bit set in all but the last.
constexpr unsigned kBits = 7;
constexpr uint64_t kMore = 1U << kBits;

[[noreturn]] void cut_short() { throw std::runtime_error("packed texts are cut short"); }

uint64_t take_size(std::string_view& bytes) {
  uint64_t size = 0;
  for (unsigned shift = 0; shift < 64; shift += kBits) {
    if (bytes.empty()) cut_short();
    const uint64_t group = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    size |= (group % kMore) << shift;
    if (group < kMore) return size;
  }
  cut_short();
}

}  // namespace

void put_packed(std::string_view text, std::string& bytes) {
  uint64_t size = text.size();
  for (; size >= kMore; size >>= kBits) bytes += static_cast<char>((size % kMore) | kMore);
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
