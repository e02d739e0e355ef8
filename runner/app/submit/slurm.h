#pragma once
#include <filesystem>
#include <string>

namespace compeer::app {

/// Throws Error (exit 1) if there is no sbatch here.
void need_sbatch();

/// Submits a script; the job's number. Throws Error (exit 1) with all that sbatch said if it refuses.
std::string submit_job(const std::filesystem::path& script);

/// job.json in the folder of a run or a study: the job it was submitted as last.
void remember_job(const std::filesystem::path& folder, const std::string& job);

/// "job 17 (PENDING)" if that job is still in Slurm's queue, else "".
std::string job_in_queue(const std::filesystem::path& folder);

}  // namespace compeer::app
