#pragma once
#include <nlohmann/json.hpp>

namespace compeer::bench {

/// `compeer bench prefix`, in a worker process: the gain from prefix sharing in training. It measures the forward and
/// backward pass of the G completions of a prompt with the prompt computed once, alternating with one copy of the
/// prompt for each completion. The theoretical limit of the speed-up is G (P + R) / (P + G R) for P prompt tokens and R
/// tokens per completion. `options`: {"size", "group": G, "prompt": P, "new": R, "repeats"}; 0 is the default. Prints
/// measurements, one JSON object per line. Returns 0.
int bench_prefix(const nlohmann::json& options);

}  // namespace compeer::bench
