#pragma once
#include <nlohmann/json.hpp>

namespace compeer::bench {

/// `compeer bench allreduce`, one of several ranks: the runner's all-reduce, which sums in a fixed order, alternating
/// with MPI_Allreduce, for float32 vectors of several lengths. Collective. `options`: {"repeats": 0 for the default}.
/// Rank 0 prints measurements, one JSON object per line. Returns 0.
int bench_allreduce(const nlohmann::json& options);

}  // namespace compeer::bench
