#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace compeer {

/// SHA-256 as 64 lower-case hex digits: the identity of specs, plugins and weights.
std::string sha256(std::string_view bytes);

/// SHA-256 of a file's bytes, read in blocks. Throws read_error() (reading.h).
std::string sha256_file(const std::filesystem::path& file);

}  // namespace compeer
