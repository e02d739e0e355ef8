#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace compeer {

/// Returns the contents of a PNG or JPEG file as a data URI, "data:image/png;base64,...", as used in HTML and in
/// requests to chat models. Throws Error (exit code 4: invalid data) if the file is missing, neither PNG nor JPEG, or
/// larger than 1 GiB, (exit code 1: a failure of the system) if the disk fails.
std::string data_uri(const std::filesystem::path& picture);

/// Returns the decoded bytes of a PNG or JPEG data URI with base64 content; nullopt if `uri` is anything else, or
/// malformed.
std::optional<std::string> bytes_of_data_uri(const std::string& uri);

}  // namespace compeer
