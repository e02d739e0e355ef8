#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "spec/spec.h"

namespace compeer::spec {

/// What a file says, with the changes of `--set key=value`: a TOML file, a resolved spec (spec.json) or the folder of
/// a run. Scripts make their drafts themselves.
Draft load_draft(const std::string& file, const std::vector<std::string>& sets);

/// The resolved spec's file, if `file` is one or the folder of a run.
std::optional<std::filesystem::path> recorded_spec(const std::string& file);

/// Reads it; throws Error (exit 3) if it is none.
Spec read_spec(const std::filesystem::path& file);

}  // namespace compeer::spec
