#pragma once
#include <cstdint>
#include <string_view>

namespace compeer::record {

/// Returns the CRC-32C (Castagnoli) of `bytes`, the checksum of rows and completions in a run's files. It detects
/// accidental damage, not manipulation.
uint32_t crc32c(std::string_view bytes);

}  // namespace compeer::record
