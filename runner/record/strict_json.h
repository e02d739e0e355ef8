#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

namespace compeer::record {

/// A JSON object from a file that strangers may have made: keys given twice, deep nesting (over 64 levels), anything
/// behind the object and invalid UTF-8 are refused. Throws Error (exit 4) naming the file.
nlohmann::json parse_strict_json(const std::filesystem::path& file, std::string_view text);

/// The whole of such a file. Pipes, devices and more than 64 MiB are refused, too.
nlohmann::json read_strict_json(const std::filesystem::path& file);

}  // namespace compeer::record
