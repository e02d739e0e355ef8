#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "launch/script_actions.h"
#include "launch/slurm/allocation.h"

// Jobs of `compeer submit`, which runs experiments and Lua scripts on a cluster with Slurm. A job is described by a
// batch script, which sbatch submits. A job array is one job with several tasks, here one per run. A spec is the set of
// all settings of a run.

namespace compeer::launch {

/// A Lua script that is submitted to Slurm, here called a study. The same script with other changes is another study.
struct SubmittedScript {
  std::filesystem::path script;      ///< absolute path
  std::vector<std::string> changes;  ///< arguments for `compeer run`: "--set", "seed=2", "--quick"

  std::string name() const { return script.filename().string(); }  ///< "study.lua"
  /// Returns the contents of study.json, the file that identifies the folder of the study's batch scripts.
  std::string file_text() const;
};

/// Returns the folder for the study's batch scripts: `<results>/<stem>.jobs`, where <stem> is the script's name without
/// ".lua", or `<results>/<stem>-<first 8 digits of a hash>.jobs` if another study, or something else, has the first
/// one.
std::filesystem::path jobs_folder(const SubmittedScript& study, const std::filesystem::path& results);

/// Creates the folder if needed and writes `file_text` to its study.json. Throws Error (exit code 1: other failure) if
/// the folder can't be created or belongs to another study. Not atomic: two concurrent calls for different studies may
/// both succeed.
void claim_jobs_folder(const std::filesystem::path& folder, const std::string& file_text);

/// A batch script to be written and submitted.
struct Job {
  std::string title;                           ///< for messages: "smoke-grpo", "9 experiments of study.lua"
  std::filesystem::path script;                ///< absolute path to which to write the batch script
  std::vector<spec::Spec> runs;                ///< runs, in the order of the array; empty if it runs a whole Lua script
  std::vector<std::filesystem::path> folders;  ///< absolute folders of `runs`
  std::string text;                            ///< contents of the batch script
  std::vector<std::string> remarks = {};       ///< notes for the user, such as a missing request for GPUs
  std::string study = "";                      ///< contents of study.json next to the script; empty: a job of one run
};

/// Options of a submission.
struct Submission {
  std::filesystem::path results;  ///< folder of the folders of runs
  SlurmOptions slurm;             ///< resources given on the command line
  JobEnvironment around;          ///< environment in which jobs start
  int64_t at_once = 0;            ///< maximum number of array tasks at the same time; 0: no limit
};

/// Returns the job for one run. Its batch script will be in the run's folder. Like the next two functions, it writes no
/// file.
Job run_job(const spec::Spec& spec, const Submission& how);

/// Returns the jobs for runs that do not depend on each other: one array per combination of ranks and threads, or
/// the result of `run_job` if a combination has a single run. Scripts of arrays are in the study's `jobs_folder`.
std::vector<Job> array_jobs(const SubmittedScript& study, const std::vector<spec::Spec>& specs, const Submission& how);

/// Returns a job that runs the whole Lua script. `known`: the runs that are known in advance; the job's resources
/// suffice for the largest of them.
Job study_job(const SubmittedScript& study, const std::vector<spec::Spec>& known, const Submission& how);

/// Writes the batch script and prepares the folders of its runs as `compeer run` does, so that it can be submitted.
/// `results`: folder of the folders of runs. `allow_changed`: continue runs although their plugins have changed. Throws
/// Error (exit code 1) if another process has taken a folder.
void prepare(const Job& job, const std::filesystem::path& results, bool allow_changed = false);

/// Returns the value of the environment variable COMPEER_LOCKED for a job: the files that list allowed plugins, as
/// absolute paths, joined by ':'.
std::string absolute_allow_lists(const std::vector<std::filesystem::path>& lists);

/// Throws Error (exit code 2: wrong command line) if an allow list is on storage that other hosts can't read (tmpfs,
/// /tmp, /var/tmp), since ranks on any host need it. A list on the same file system as `results` is accepted, because
/// every host needs that one.
void check_shared_lists(const std::vector<std::filesystem::path>& lists, const std::filesystem::path& results);

}  // namespace compeer::launch
