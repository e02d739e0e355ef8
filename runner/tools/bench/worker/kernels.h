#pragma once
#include <nlohmann/json.hpp>

namespace compeer::bench {

/// `compeer bench kernels`: matrix products of the sizes of models, forward and backward, alternating with libtorch's
/// in the same process, and the limits of the machine. Prints measurements, one JSON object per line.
int bench_kernels(const nlohmann::json& options);

}  // namespace compeer::bench
