#pragma once
#include <span>
#include <string>

#include "comm/world.h"

namespace compeer::comm {

/// Returns name and version of the MPI library, such as "Open MPI v4.1.4". Does not initialize MPI.
std::string library_version();

/// Collective. Sums `values` over all ranks in place by MPI_Allreduce, in an unspecified order. A baseline for
/// benchmarks; runs use TreeSum, which adds in a fixed order.
void library_sum(const World& world, std::span<float> values);

}  // namespace compeer::comm
