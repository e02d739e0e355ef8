#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace compeer {

/// As read_file (files.h), of a file in a folder that somebody else may have made: a pipe or a device, whose reading
/// might never end, is refused.
std::string read_plain_file(const std::filesystem::path& file, uint64_t limit = UINT64_MAX);

}  // namespace compeer
