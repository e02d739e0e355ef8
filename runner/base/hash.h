#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace compeer {

/// Returns the SHA-256 of `bytes` as 64 lower-case hex digits. Identifies specs, plugins and weights.
std::string sha256(std::string_view bytes);

/// Returns the SHA-256 of the file's contents, which are streamed. Throws read_error() (files.h).
std::string sha256_file(const std::filesystem::path& file);

}  // namespace compeer
