#pragma once
#include <nlohmann/json.hpp>

namespace compeer::bench {

/// compeer bench kernels: products of the sizes that models have, forward and backward, in turn with libtorch's in one
/// process, and the machine's limits. Prints measurements, one JSON object a line.
int bench_kernels(const nlohmann::json& options);

}  // namespace compeer::bench
