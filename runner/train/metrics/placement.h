#pragma once
#include <string>
#include <vector>

#include "base/machine.h"
#include "comm/world.h"

namespace compeer::train {

/// Where a rank is, and what of the machine it may use.
struct Placement {
  std::string host;
  Machine machine;
};

/// Everyone's placements, on rank 0. Meets the other ranks.
std::vector<Placement> gather_placements(comm::World& world);

/// Lines for people: ranks, hosts, threads and cores, and remarks where these don't fit together:
///   4 ranks on 2 hosts, 2 threads each; device: CPU, float32 by avx512
///     n07: ranks 0-1 on cores 0-7
///     n08: rank 2 on cores 0-3, rank 3 on cores 4-7
std::vector<std::string> placements_text(const std::vector<Placement>& placements, int64_t threads,
                                         const std::string& arithmetic);

/// Writes them to rank 0's standard error. Meets the other ranks.
void print_placements(comm::World& world, int64_t threads, const std::string& arithmetic);

}  // namespace compeer::train
