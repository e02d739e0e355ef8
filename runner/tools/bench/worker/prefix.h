#pragma once
#include <nlohmann/json.hpp>

namespace compeer::bench {

/// compeer bench prefix: forward and backward of a group's completions behind one prompt, as the trainer does it, in
/// turn with the same completions each behind a copy of its own, and the ratio beside what arithmetic allows,
/// G (P + R) / (P + G R). Prints measurements, one JSON object a line.
int bench_prefix(const nlohmann::json& options);

}  // namespace compeer::bench
