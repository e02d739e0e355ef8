#pragma once
#include <nlohmann/json.hpp>

namespace compeer::bench {

/// compeer bench allreduce, one rank of it: the runner's sum over ranks, whose order is fixed, in turn with
/// MPI_Allreduce, for vectors of several lengths. Rank 0 prints measurements, one JSON object a line.
int bench_allreduce(const nlohmann::json& options);

}  // namespace compeer::bench
