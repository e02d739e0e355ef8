#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "launch/script_actions.h"
#include "launch/slurm/allocation.h"

namespace compeer::launch {

/// A script as it is submitted. Two of one file name, or with other changes, are other studies.
struct SubmittedScript {
  std::filesystem::path script;      ///< in full
  std::vector<std::string> changes;  ///< the words `compeer run` is given for it: "--set", "seed=2", "--quick"

  std::string name() const { return script.filename().string(); }
  /// study.json, by which its folder is known again.
  std::string file_text() const;
};

/// Where the study's scripts lie: `<results>/<stem>.jobs`, or `<results>/<stem>-<first 8 digits of a hash>.jobs` where
/// another study, or something else, has that name.
std::filesystem::path jobs_folder(const SubmittedScript& study, const std::filesystem::path& results);

/// Makes the folder the study's own. Throws Error (exit 1) if another took it meanwhile.
void claim_jobs_folder(const std::filesystem::path& folder, const std::string& file_text);

/// One batch script on its way to Slurm.
struct Job {
  std::string title;                           ///< "smoke-grpo", "9 experiments of study.lua"
  std::filesystem::path script;                ///< where it is to lie
  std::vector<spec::Spec> runs;                ///< what it runs, in the order of the array; empty: a whole script
  std::vector<std::filesystem::path> folders;  ///< of these runs, absolute
  std::string text;                            ///< of the script
  std::vector<std::string> remarks = {};       ///< what whoever submits it should know
  std::string study = "";                      ///< study.json beside it; empty: it lies in the folder of its run
};

/// How a file is to become jobs.
struct Submission {
  std::filesystem::path results;
  Wishes wishes;
  JobEnvironment around;
  int64_t at_once = 0;  ///< tasks of an array at the same time; 0: as the cluster allows
};

/// A job for one run; its script lies in the run's folder.
Job run_job(const spec::Spec& spec, const Submission& how);

/// Jobs for experiments that do not wait for one another: an array for each kind of allocation, or for a single one
/// the job of that run. Scripts of arrays lie in the `jobs_folder` of the study.
std::vector<Job> array_jobs(const SubmittedScript& study, const std::vector<spec::Spec>& specs, const Submission& how);

/// A job that runs a whole script, of which these runs are known.
Job study_job(const SubmittedScript& study, const std::vector<spec::Spec>& known, const Submission& how);

/// Folders of runs are made as `compeer run` makes them, and the script is written: nothing is left but sbatch.
/// `allow_changed` as in LaunchOptions.
void prepare(const Job& job, const std::filesystem::path& results, bool allow_changed = false);

/// What COMPEER_LOCKED is to be in a job: its lists of allowed plugins in full, which mean the same in any folder.
std::string lists_in_full(const std::vector<std::filesystem::path>& lists);

/// A job's ranks, on whatever host, need the lists that are in force. Throws Error (exit 2) for one that lies where
/// other hosts look in vain, in memory or in a folder for temporary files, unless `results` lies on the same file
/// system: other hosts need that, too.
void need_shared_lists(const std::vector<std::filesystem::path>& lists, const std::filesystem::path& results);

}  // namespace compeer::launch
