#pragma once
#include <nlohmann/json.hpp>

namespace compeer::bench {

/// `compeer bench kernels`: matrix products of the sizes of models, forward and backward, with this program's
/// kernels and alternating with libtorch's, and the limits of the machine (arithmetic and memory bandwidth). `options`:
/// {"repeats": 0 for the default}. Prints measurements, one JSON object per line. Returns 0.
int bench_kernels(const nlohmann::json& options);

}  // namespace compeer::bench
