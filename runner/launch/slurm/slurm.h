#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace compeer::launch {

/// Throws Error (exit 1) if there is no sbatch here.
void need_sbatch();

/// Submits a script; the job's number. Throws Error (exit 1) with all that sbatch said if it refuses.
std::string submit_job(const std::filesystem::path& script);

/// job.json in the folder of a run or a study: the job it was submitted as last.
void remember_job(const std::filesystem::path& folder, const std::string& job);

/// A job that Slurm's queue has.
struct QueuedJob {
  std::string number, state;  ///< "17", "PENDING"
};

/// The job of this folder's job.json, if it is still in the queue.
std::optional<QueuedJob> job_in_queue(const std::filesystem::path& folder);

}  // namespace compeer::launch
