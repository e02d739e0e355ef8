#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace compeer::launch {

/// Throws Error (exit 1) if sbatch is not in PATH.
void check_sbatch();

/// Submits a batch script and returns the job id. Throws Error (exit 1) with the output of sbatch if it fails.
std::string submit_job(const std::filesystem::path& script);

/// Writes the id of the latest job to job.json in the folder of a run or study.
void remember_job(const std::filesystem::path& folder, const std::string& job);

/// A job in Slurm's queue.
struct QueuedJob {
  std::string number, state;  ///< "17", "PENDING"
};

/// Returns the job in the folder's job.json if it is still in the queue, waiting or running.
std::optional<QueuedJob> job_in_queue(const std::filesystem::path& folder);

}  // namespace compeer::launch
