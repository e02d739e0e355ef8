#pragma once
#include <span>
#include <string>

#include "comm/world.h"

namespace compeer::comm {

/// "Open MPI v4.1.4": what the MPI library calls itself. Starts nothing.
std::string library_version();

/// Collective: the sum over all ranks by MPI_Allreduce, in whatever order that takes. For benchmarks to compare with:
/// runs add in an order of their own (`tree_sum.h`).
void library_sum(const World& world, std::span<float> values);

}  // namespace compeer::comm
