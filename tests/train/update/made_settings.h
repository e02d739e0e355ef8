#pragma once
#include "train/grpo_settings.h"

namespace compeer::train {

/// Default settings for a step of two groups of two completions, with two rewards of weights 1 and 0.1.
inline GrpoSettings made_settings() {
  using nlohmann::json;
  GrpoSettings made{Settings({{"grpo", {{"batch", 2}, {"group_size", 2}}},
                              {"sampling", json::object()},
                              {"rewards", {{{"weight", 1.0}}, {{"weight", 0.1}}}}})};
  return made;
}

}  // namespace compeer::train
