#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// Texts of batch scripts for Slurm, which can be read, changed and submitted by hand and which pass `shellcheck`. A job
// runs the processes (ranks) of a run. The results depend on the arguments only, not on files or environment variables.
// All functions that return scripts throw Error (exit code 2: wrong command line) for names that a batch script can't
// contain.

namespace compeer::launch {

/// The resources of a Slurm job.
struct Allocation {
  int64_t tasks = 1;                      ///< number of ranks (--ntasks)
  int64_t threads = 1;                    ///< threads per rank (--cpus-per-task)
  int64_t nodes = 0, tasks_per_node = 0;  ///< --nodes, --ntasks-per-node; 0: chosen by Slurm
  std::string time, partition, account;   ///< values of these options; empty: the cluster's default
  std::string memory;                     ///< complete option, "--mem-per-cpu=512M"; empty: the cluster's default
  int64_t signal = 180;                   ///< seconds before the time limit at which the job is asked to stop
  std::vector<std::string> more;          ///< other options of sbatch, such as "--qos=long"
};

/// The environment in which a job starts: commands at the start of its script, and the worker's path.
struct JobEnvironment {
  std::filesystem::path folder;        ///< working folder, to which paths in specs are relative
  std::vector<std::string> variables;  ///< "NAME=value" to export
  std::vector<std::string> modules;    ///< names for `module load`
  std::vector<std::string> before;     ///< shell commands to run first
  std::string mpi = "pmix";            ///< value of srun --mpi
  std::filesystem::path worker;        ///< path of compeer-worker, the program that each rank executes
};

/// Returns the script of a job that executes one run with srun. `name`: name of the job; `script`: path to which the
/// script will be written; `run`: folder of the run; `around`: environment of the job. Output is appended to the run's
/// log.txt. When the job is asked to stop, the run saves a checkpoint and exits with 85, and the job is requeued. It is
/// also requeued when a node fails. At any other failure the script writes the state (failed, cancelled) to status.json
/// and, unless a rank has done so, the reason to error.json.
std::string run_script(const std::string& name, const std::filesystem::path& script, const std::filesystem::path& run,
                       const Allocation& allocation, const JobEnvironment& around);

/// The same for several runs with the folders `runs`, each a task of a job array; at most `at_once` at the same time
/// (0: no limit). Messages of Slurm itself go to one file per task next to the script.
std::string array_script(const std::string& name, const std::filesystem::path& script,
                         const std::vector<std::filesystem::path>& runs, int64_t at_once, const Allocation& allocation,
                         const JobEnvironment& around);

/// Returns the script of a job that executes a whole Lua script: its `command` (compeer run SCRIPT ...) starts each run
/// with srun within the job.
std::string study_script(const std::string& name, const std::filesystem::path& script,
                         const std::vector<std::string>& command, const Allocation& allocation,
                         const JobEnvironment& around);

/// Returns text as a word for a shell: in single quotes if it has characters with a meaning to shells.
std::string shell_word(const std::string& text);

/// Returns the line "#SBATCH --job-name=x\n" for `option`, "--job-name=x", quoted by the rules of sbatch, which differ
/// from a shell's. Throws Error (exit code 2) if the option has control characters such as newlines.
std::string directive(const std::string& option);

/// Returns a path for --output with '%' escaped, so that sbatch replaces nothing in it. Throws Error (exit code 2) if
/// it has a backslash.
std::string output_path(const std::string& path);

}  // namespace compeer::launch
