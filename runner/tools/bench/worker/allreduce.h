#pragma once
#include <nlohmann/json.hpp>

namespace compeer::bench {

/// `compeer bench allreduce`, one rank: the runner's all-reduce in fixed order, alternating with MPI_Allreduce, for
/// vectors of several lengths. Collective. Rank 0 prints measurements, one JSON object per line.
int bench_allreduce(const nlohmann::json& options);

}  // namespace compeer::bench
