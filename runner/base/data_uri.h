#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace compeer {

/// Returns a PNG or JPEG file as a data URI, "data:image/png;base64,...". Throws read_error() (files.h) if the file
/// can't be read, Error (exit 4) if it is neither PNG nor JPEG or larger than 1 GiB.
std::string data_uri(const std::filesystem::path& picture);

/// Decodes a PNG or JPEG data URI with base64 content. Returns nullopt if `uri` is anything else, or malformed.
std::optional<std::string> bytes_of_data_uri(const std::string& uri);

}  // namespace compeer
