#pragma once
#include <string>
#include <vector>

#include "base/machine.h"
#include "comm/world.h"

// A report at the start of a run: on which hosts, CPU cores and GPUs (devices) its ranks run, with notes about ranks
// that share too few cores.

namespace compeer::train {

/// The host of a rank and the resources it may use there.
struct Placement {
  std::string host;         ///< host name
  Machine machine;          ///< cores and memory of the host that the rank may use
  std::string device = "";  ///< GPU in use, "NVIDIA H100 80GB HBM3 (79.2 GiB)"; "" on the CPU
  std::string bus = "";     ///< PCI bus id of the GPU, which identifies it on the host; "" on the CPU
};

/// Collective. Returns the placements of all ranks on rank 0; empty on other ranks.
std::vector<Placement> gather_placements(comm::World& world);

/// Returns lines for the log: ranks, hosts, threads per rank and cores, followed by at most four notes about ranks that
/// have fewer cores than threads:
///   4 ranks on 2 hosts, 2 threads each; device: CPU, float32 by avx512
///     n07: ranks 0-1 on cores 0-7
///     n08: rank 2 on cores 0-3, rank 3 on cores 4-7
/// `placements`: one per rank. `threads`: threads per rank. `arithmetic`: description of the kernels, "float32 by
/// avx512".
std::vector<std::string> placements_text(const std::vector<Placement>& placements, int64_t threads,
                                         const std::string& arithmetic);

/// Throws Error (exit code 2: wrong use of the machine) if two ranks use the same device.
void check_own_devices(const std::vector<Placement>& placements);

/// Collective. Gathers the placements, checks that no two ranks use the same device, and prints `placements_text` to
/// rank 0's standard error. The parameters are those of `placements_text`.
void print_placements(comm::World& world, int64_t threads, const std::string& arithmetic);

}  // namespace compeer::train
