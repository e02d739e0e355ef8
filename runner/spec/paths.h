#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace compeer::spec {

/// Finds a path of a spec. Returns it unchanged if it exists relative to the current folder, as an absolute path if it
/// exists only relative to $COMPEER_HOME (the folder with compeer's own experiments/ and plugins/, set by the front
/// end), and nothing if it exists in neither.
std::optional<std::filesystem::path> locate(const std::filesystem::path& path);

/// Returns the help for a script or spec that `locate` does not find: the same file name in scripts/ or experiments/, or
/// the most similar names in the folder of `file` ("did you mean ..."). Empty if no file has the same extension.
std::string nearest_files(const std::filesystem::path& file);

/// Returns the hash that represents the contents of a file or folder in a spec: SHA-256 of manifest.json for a
/// checkpoint; of summary.json for a finished run; otherwise of the names, sizes and contents of all files or, above
/// 64 MiB in total, of names and sizes alone. The name of a single file is not included. Throws Error (exit 4) if the
/// path is neither file nor folder, and read_error() (base/files.h).
std::string pin(const std::filesystem::path& path);

/// Returns the name of the plugin, one of `known`, that reads a model folder: "model_type" of its config.json, or of
/// the base model's for an adapter folder. Throws Error (exit 4) that names the file if it can't be read, has no
/// model_type or one that is not in `known`.
std::string model_type(const std::filesystem::path& folder, const std::vector<std::string>& known);

}  // namespace compeer::spec
