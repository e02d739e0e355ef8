#pragma once
#include <map>
#include <string>

#include "spec/schema.h"

// Settings that had another name in the previous version of the program. This version still accepts the former names in
// experiments, options and stored settings of runs.

namespace compeer::spec {

/// Former path of a setting -> its present path: "grpo.together" -> "grpo.groups_per_reduction".
using Renames = std::map<std::string, std::string>;

/// Returns the present name of the setting that was called `key` in the table at path `path` of a spec, or "" if it was
/// not renamed. `table`: the table's values; its "plugin", the name of a plugin, selects renamed settings of plugins.
std::string present_name(const std::string& path, const json& table, const std::string& key);

/// Gives settings with former names in `values`, the value at path `path` of a spec, their present names, at any depth.
/// Returns the renamed ones. If a table has both names of a setting, the former one is kept, so that it is refused
/// later as an unknown key. If `values` is only a change to a value, `whole` is that value after the change, which
/// contains the names of all plugins; null: `values` is complete.
Renames rename_settings(json& values, const std::string& path = "", const json* whole = nullptr);

/// Replaces the former paths among the keys of `origins` (path of a setting -> its origin) by the present ones.
void rename_paths(std::map<std::string, std::string>& origins, const Renames& renamed);

}  // namespace compeer::spec
