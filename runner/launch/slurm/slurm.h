#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace compeer::launch {

/// Throws Error (exit code 1: other failure) if sbatch, Slurm's command that submits jobs, is not in PATH.
void check_sbatch();

/// Submits a batch script with sbatch and returns the job id. Throws Error (exit code 1) with the output of sbatch if
/// it fails.
std::string submit_job(const std::filesystem::path& script);

/// Writes the job id `job` to job.json in the folder of a run, or of the batch scripts of a Lua script, so that the
/// same run is not submitted twice.
void remember_job(const std::filesystem::path& folder, const std::string& job);

/// A job in Slurm's queue.
struct QueuedJob {
  std::string number, state;  ///< job id "17", state "PENDING" or "RUNNING"
};

/// Returns the job in the folder's job.json if it is still in the queue, waiting or running; otherwise nothing.
std::optional<QueuedJob> job_in_queue(const std::filesystem::path& folder);

}  // namespace compeer::launch
