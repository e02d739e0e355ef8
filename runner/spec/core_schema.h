#pragma once
#include <string>
#include <vector>

#include "spec/schema.h"

namespace compeer::spec {

/// A top-level key of a spec. A section that the run's task does not use is checked, but left out of the resolved spec.
struct Section {
  SettingSchema parameter;
  std::vector<std::string> tasks;  ///< tasks that use the section; empty: all tasks
  std::string plugin_kind;         ///< kind of the plugin that the table, or each table of the list, names; or ""

  bool used_by(const std::string& task) const;
};

constexpr int most_ranks = 4096;  ///< maximum number of ranks of a run

/// Returns the schema of all settings that are not plugins' own, in the order in which specs are printed.
const std::vector<Section>& core_schema();

/// Returns the section of that name, or nullptr. It lives until the process ends.
const Section* find_section(const std::string& name);

/// Returns help for a key that is unknown in its table: its paths in the tables that `task` uses, such as "did you mean
/// 'grpo.steps'?", or "".
std::string elsewhere(const std::string& key, const json& task);

}  // namespace compeer::spec
