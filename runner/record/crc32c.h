#pragma once
#include <cstdint>
#include <string_view>

namespace compeer::record {

/// CRC-32C (Castagnoli) of `bytes`: detects accidental damage, not manipulation.
uint32_t crc32c(std::string_view bytes);

}  // namespace compeer::record
