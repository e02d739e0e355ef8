#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launch/slurm/job_script.h"
#include "spec/spec.h"

namespace compeer::launch {

/// What the command line asks of Slurm; 0 and "" where it says nothing.
struct Wishes {
  int64_t nodes = 0, tasks = 0, tasks_per_node = 0, signal = 180;
  std::string time, partition, account, memory;
  std::vector<std::string> more;
};

/// Seconds of a time as Slurm writes it: "90" (minutes), "1:30", "2:00:00", "1-12", "1-12:00", "1-12:00:00". -1 for
/// "UNLIMITED" and "INFINITE"; nothing for anything else.
std::optional<int64_t> slurm_seconds(const std::string& time);

/// Throws Error (exit 2) if the wishes make no sense together.
void check_wishes(const Wishes& wishes);

/// Whether they ask for GPUs.
bool asks_for_gpus(const Wishes& wishes);

/// Whether they say how much memory there is to be.
bool asks_for_memory(const Wishes& wishes);

/// The change of a spec that they ask for: `ranks`, if they say how many tasks there are.
std::vector<spec::Change> changes_of(const Wishes& wishes);

/// What a job for these specs needs: ranks and threads of the largest. Throws Error (exit 2) if the wishes don't allow
/// it.
Allocation allocation_for(const std::vector<spec::Spec>& specs, const Wishes& wishes);

// What a batch script asks of memory. Slurm counts it by processor, so that it is right wherever ranks are put.

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
