#pragma once
#include <nlohmann/json_fwd.hpp>

namespace compeer::bench {

/// `compeer bench judging`: time of judging a group of completions by unifireward (one conversation) and by prm and orm
/// (one conversation per question), greedy. `options`: {"model", "prm", "orm", "by", "group", "prompts", "repeats"}; 0
/// is the default.
int bench_judging(const nlohmann::json& options);

}  // namespace compeer::bench
