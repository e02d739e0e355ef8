#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "spec/spec.h"

/// What a batch script asks of memory. Slurm counts it by processor, so that it is right wherever ranks are put.
namespace compeer::launch {

struct MemoryNeed {
  int64_t mib_per_cpu = 0;  ///< 0: not known
  std::string why_unknown;  ///< then
};

/// Of the largest of these runs: what the worker estimates that a rank takes (docs/running.md), a quarter more for what
/// the estimate leaves out, by its processors, and some GiB for CUDA unless it computes on the CPU. Of runs that differ
/// only in name, seed or numbers that size does not depend on, one is asked about: each takes about as long as the
/// start of a run.
MemoryNeed memory_need(const std::vector<spec::Spec>& specs);

/// The same number from an estimate: of 185 MiB for a rank of two threads, 128 each.
int64_t mib_per_cpu(double rank_mib, int64_t threads);

}  // namespace compeer::launch
