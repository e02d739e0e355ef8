// CRC-32C with the processor's instruction for it.
#include "record/crc32c.h"

#include <nmmintrin.h>

#include <cstring>

namespace compeer::record {

// SSE4.2 has an instruction for this polynomial.
[[gnu::target("sse4.2")]] uint32_t crc32c(std::string_view bytes) {
  uint64_t crc = ~0u;
  for (; bytes.size() >= sizeof(uint64_t); bytes.remove_prefix(sizeof(uint64_t))) {
    uint64_t eight = 0;
    std::memcpy(&eight, bytes.data(), sizeof eight);
    crc = _mm_crc32_u64(crc, eight);
  }
  auto rest = static_cast<uint32_t>(crc);
  for (const char byte : bytes) rest = _mm_crc32_u8(rest, static_cast<uint8_t>(byte));
  return ~rest;
}

}  // namespace compeer::record
