#pragma once
#include <nlohmann/json.hpp>

namespace compeer::bench {

/// `compeer bench prefix`: forward and backward pass of a group's completions with one shared prompt, as in the
/// trainer, alternating with the same completions with a copy of the prompt each; and the speed-up compared with the
/// theoretical limit, G (P + R) / (P + G R). Prints measurements, one JSON object per line.
int bench_prefix(const nlohmann::json& options);

}  // namespace compeer::bench
