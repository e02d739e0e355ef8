#pragma once
#include <string>
#include <vector>

#include "spec/schema.h"

// The declarations of all settings of a run that plugins do not declare themselves: name, type, range, default and help
// text. `compeer settings` prints them, and a run's settings are checked against them. A *task* is what a run does:
// "grpo", "sft", "evaluate" or "data".

namespace compeer::spec {

/// The declaration of a top-level key of a spec: a table such as [grpo], a list of tables, or a plain value such as the
/// run's name. A section that the run's task does not use is checked, but left out of the resolved spec.
struct Section {
  SettingSchema parameter;         ///< name, type and contents
  std::vector<std::string> tasks;  ///< tasks that use the section; empty: all tasks
  std::string plugin_kind;  ///< kind of the plugin that the table, or each table of the list, names; "": no plugin

  /// True if runs with this task use the section.
  bool used_by(const std::string& task) const;
};

constexpr int most_ranks = 4096;  ///< maximum number of ranks of a run

/// Returns the schema of all settings that are not plugins' own, in the order in which specs are printed.
const std::vector<Section>& core_schema();

/// Returns the section of that name, or nullptr. It lives until the process ends.
const Section* find_section(const std::string& name);

/// Returns help for a key that a table does not have: where else the key exists, such as "did you mean 'grpo.steps'?";
/// "" if nowhere. Only sections that `task`, the value of the setting "task", uses are searched; all if it is not a
/// string.
std::string elsewhere(const std::string& key, const json& task);

}  // namespace compeer::spec
