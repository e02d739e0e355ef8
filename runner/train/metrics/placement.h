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
  std::string device = "", bus = "";  ///< "NVIDIA H100 80GB HBM3 (79.2 GiB)" and where that is; "": it has none
};

/// Everyone's placements, on rank 0. Meets the other ranks.
std::vector<Placement> gather_placements(comm::World& world);

/// Lines for people: ranks, hosts, threads and cores, and remarks where these don't fit together:
///   4 ranks on 2 hosts, 2 threads each; device: CPU, float32 by avx512
///     n07: ranks 0-1 on cores 0-7
///     n08: rank 2 on cores 0-3, rank 3 on cores 4-7
std::vector<std::string> placements_text(const std::vector<Placement>& placements, int64_t threads,
                                         const std::string& arithmetic);

/// Throws Error (exit 2) if two ranks have one device, which has memory for one and computes for one at a time.
void check_own_devices(const std::vector<Placement>& placements);

/// Writes the lines to rank 0's standard error, and checks devices. Meets the other ranks.
void print_placements(comm::World& world, int64_t threads, const std::string& arithmetic);

}  // namespace compeer::train
