#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "launch/script_actions.h"
#include "launch/slurm/allocation.h"
#include "launch/slurm/study.h"

namespace compeer::launch {

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

}  // namespace compeer::launch
