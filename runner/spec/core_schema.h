#pragma once
#include "spec/schema.h"

namespace compeer::spec {

/// A key at the top of a spec. Sections of other tasks are checked and then left out of the resolved spec.
struct Section {
  SettingSchema parameter;
  std::vector<std::string> tasks;  ///< the tasks that use it; empty: all
  std::string plugin_kind;         ///< its table (or each of its tables) names a plugin of this kind, or ""

  bool used_by(const std::string& task) const;
};

/// Everything a spec may say apart from the plugins' own parameters, as data (runner/spec/core_schema.cpp).
const std::vector<Section>& core_schema();

/// The section of that name, or nullptr.
const Section* find_section(const std::string& name);

}  // namespace compeer::spec
