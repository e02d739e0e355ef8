#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace compeer::spec {

/// Where a path of a spec is: relative to the current folder, else relative to $COMPEER_HOME (the folder that holds
/// compeer's own experiments/ and plugins/; the front end sets it). Returns the path as given if the current folder
/// has it, the absolute one if only $COMPEER_HOME has it, nothing if neither has.
std::optional<std::filesystem::path> locate(const std::filesystem::path& path);

/// What stands for the contents of a file or folder in a spec's hash: the SHA-256 of manifest.json for a checkpoint, of
/// summary.json for a finished run; else of the contents up to 64 MiB; else of the names and sizes.
std::string pin(const std::filesystem::path& path);

/// The plugin, out of `known`, that reads a model folder, or an adapter's: what config.json calls model_type. Throws
/// Error (exit 4) naming the file if it can't be read, says no type, or one that no plugin reads.
std::string model_type(const std::filesystem::path& folder, const std::vector<std::string>& known);

}  // namespace compeer::spec
