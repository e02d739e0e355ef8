#pragma once
#include <map>
#include <string>

#include "spec/schema.h"

/// Settings that had another name in the version before. This version still accepts the former names.
namespace compeer::spec {

/// Former path of a setting -> its present path: "grpo.together" -> "grpo.groups_per_reduction".
using Renames = std::map<std::string, std::string>;

/// Returns the present name of the setting `key` in the table at `path`, or "" if the setting was not renamed. `table`:
/// the table's values; its "plugin" determines the settings that a plugin has renamed.
std::string present_name(const std::string& path, const json& table, const std::string& key);

/// Renames settings in `values`, the value at `path` in a spec, at any depth, and returns what was renamed. If a table
/// has both names of a setting, the former one is kept, so that resolve() refuses it as unknown. `whole`: the same
/// value with the names of all plugins, if `values` is only a change to it.
Renames rename_settings(json& values, const std::string& path = "", const json* whole = nullptr);

/// Renames the keys of `origins`, which are paths of settings.
void rename_paths(std::map<std::string, std::string>& origins, const Renames& renamed);

}  // namespace compeer::spec
