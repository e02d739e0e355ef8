#include "record/crc32c.h"

#include <array>

namespace compeer::record {

namespace {

constexpr std::array<uint32_t, 256> crc_table = [] {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ 0x82F63B78u : crc >> 1;
    table[byte] = crc;
  }
  return table;
}();

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  uint32_t crc = ~0u;
  for (const char byte : bytes) crc = crc >> 8 ^ crc_table[(crc ^ static_cast<uint8_t>(byte)) & 255];
  return ~crc;
}

}  // namespace compeer::record
