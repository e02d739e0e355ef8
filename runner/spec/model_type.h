#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace compeer::spec {

/// The plugin, out of `known`, that reads a model folder, or an adapter's: what config.json calls model_type. Throws Error (exit 4)
/// naming the file if it can't be read, says no type, or one that no plugin reads.
std::string model_type(const std::filesystem::path& folder, const std::vector<std::string>& known);

}  // namespace compeer::spec
