#pragma once
#include <nlohmann/json_fwd.hpp>

namespace compeer::bench {

/// How long a judge takes for a group of completions: unifireward in one conversation, prm and orm with each question
/// in its own; greedy. `options`: {"model", "prm", "orm", "by", "group", "prompts", "repeats"}; 0 is the default.
int bench_judging(const nlohmann::json& options);

}  // namespace compeer::bench
