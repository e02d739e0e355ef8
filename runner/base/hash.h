#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace compeer {

/// Returns the SHA-256 of `bytes` as 64 lower-case hex digits. Identifies specs, plugins and weights.
std::string sha256(std::string_view bytes);

/// Returns the SHA-256 of the file's contents as 64 lower-case hex digits. Reads the file in blocks. Throws Error if it
/// can't be read: exit code 4 if the path is wrong, 1 if the system fails.
std::string sha256_file(const std::filesystem::path& file);

}  // namespace compeer
