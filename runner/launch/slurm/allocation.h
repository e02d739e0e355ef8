#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launch/slurm/job_script.h"
#include "spec/spec.h"

// Resources of Slurm jobs for `compeer submit`, from the options of the command line and the specs. A spec is the set
// of all settings of a run; a run consists of processes (ranks) with several threads each.

namespace compeer::launch {

/// Slurm options of `compeer submit`; 0 or "" for options that were not given.
struct SlurmOptions {
  int64_t nodes = 0, tasks = 0, tasks_per_node = 0;  ///< --nodes, --ntasks (number of ranks), --ntasks-per-node
  int64_t signal = 180;                  ///< seconds before the time limit at which the job is asked to stop
  std::string time, partition, account;  ///< values of these options of sbatch
  std::string memory;                    ///< memory per node, "64G"
  std::vector<std::string> more;         ///< other options of sbatch, such as "--qos=long"
};

/// Parses a time limit in Slurm's notation, "90" (minutes), "1:30", "2:00:00", "1-12", "1-12:00" or "1-12:00:00", into
/// seconds. Returns -1 for "UNLIMITED" and "INFINITE", nothing for other text.
std::optional<int64_t> slurm_seconds(const std::string& time);

/// Throws Error (exit code 2: wrong command line) if an option is malformed or the options contradict each other.
void check_slurm_options(const SlurmOptions& options);

/// True if an option in `more` requests GPUs.
bool asks_for_gpus(const SlurmOptions& options);

/// True if the memory is given, by `memory` or in `more`.
bool asks_for_memory(const SlurmOptions& options);

/// Returns the change of a spec that the options imply: of `ranks`, if the options determine the number of tasks,
/// otherwise none.
std::vector<spec::Change> changes_of(const SlurmOptions& options);

/// Returns the resources for a job that runs these specs: the maximum of their ranks and of their threads, and the
/// given options. Throws Error (exit code 2) if the options don't fit the number of ranks.
Allocation allocation_for(const std::vector<spec::Spec>& specs, const SlurmOptions& options);

/// The memory that a batch script requests. It is per CPU, so that it is right for any placement of ranks on nodes.
struct MemoryNeed {
  int64_t mib_per_cpu = 0;  ///< MiB; 0: unknown
  std::string why_unknown;  ///< reason, if unknown
};

/// Estimates the memory for the largest of these runs: the estimate of a worker process for a rank, plus 4 GiB for CUDA
/// if it may compute on a GPU, plus a quarter for buffers that the estimate omits, divided by the rank's threads. Runs
/// that differ only in name, seed and numbers without influence on size are estimated once, because each estimate takes
/// about as long as the start of a run.
MemoryNeed memory_need(const std::vector<spec::Spec>& specs);

/// Returns the memory per CPU, in MiB, for a rank that needs `rank_mib` MiB and has `threads` threads, with a quarter
/// added, rounded up to a multiple of 16: 185 MiB for a rank of two threads give 128.
int64_t mib_per_cpu(double rank_mib, int64_t threads);

}  // namespace compeer::launch
