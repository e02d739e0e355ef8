#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace compeer {

/// A picture as text that a page or a request can hold: "data:image/png;base64,...". Throws Error (exit 4) naming the
/// file if it can't be read, or is neither PNG nor JPEG.
std::string data_uri(const std::filesystem::path& picture);

/// The bytes in "data:image/png;base64,..." or "data:image/jpeg;base64,..."; nothing if it is something else.
std::optional<std::string> bytes_of_data_uri(const std::string& uri);

}  // namespace compeer
