#pragma once
#include "spec/core_schema.h"
#include "train/grpo_settings.h"

namespace compeer::train {

/// Defaults, for a step of two groups of two completions; two rewards, of weights 1 and 0.1.
inline GrpoSettings made_settings() {
  nlohmann::json spec;
  for (const char* section : {"grpo", "sampling"}) {
    for (const auto& field : spec::find_section(section)->parameter.fields)
      spec[section][field.name] = *field.default_value;
  }
  spec["rewards"] = {{{"weight", 1.0}}, {{"weight", 0.1}}};
  GrpoSettings made{Settings(spec)};
  made.batch = made.group_size = 2;
  return made;
}

}  // namespace compeer::train
