#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

/// Batch scripts for Slurm: text that a person can read, change and submit by hand, and that `shellcheck` passes.
/// Functions of what they are told: they look at no file and no variable. All throw Error (exit 2) for names that no
/// batch script can hold.

namespace compeer::launch {

/// What is asked of Slurm.
struct Allocation {
  int64_t tasks = 1;                      ///< ranks
  int64_t threads = 1;                    ///< of each: --cpus-per-task
  int64_t nodes = 0, tasks_per_node = 0;  ///< 0: as Slurm finds best
  std::string time, partition, account;   ///< empty: as the cluster has it
  std::string memory;                     ///< "--mem-per-cpu=512M"; empty: as the cluster has it
  int64_t signal = 180;                   ///< seconds before its end at which a job is asked to stop
  std::vector<std::string> more;          ///< other options of sbatch, as "--qos=long"
};

/// Where a job finds itself when it starts.
struct JobEnvironment {
  std::filesystem::path folder;        ///< paths in specs are meant from there
  std::vector<std::string> variables;  ///< "NAME=value"
  std::vector<std::string> modules;    ///< `module load NAME`
  std::vector<std::string> before;     ///< lines of shell
  std::string mpi = "pmix";            ///< srun --mpi=...
  std::filesystem::path worker;        ///< the program
};

/// One run: a Slurm step of the worker. Its output is appended to the run's log.txt. Asked to stop it saves a
/// checkpoint, ends with 85 and is queued again; so it is when a node fails. Any other end the script writes into
/// status.json (failed, cancelled) and, unless a rank did, into error.json.
std::string run_script(const std::string& name, const std::filesystem::path& script, const std::filesystem::path& run,
                       const Allocation& allocation, const JobEnvironment& around);

/// The same for several runs, a task of a job array each, at most `at_once` at the same time (0: as the cluster
/// allows). What Slurm itself has to say goes into a file for each beside the script.
std::string array_script(const std::string& name, const std::filesystem::path& script,
                         const std::vector<std::filesystem::path>& runs, int64_t at_once, const Allocation& allocation,
                         const JobEnvironment& around);

/// A job in which `command` (compeer run SCRIPT ...) starts runs one after the other, each as a Slurm step.
std::string study_script(const std::string& name, const std::filesystem::path& script,
                         const std::vector<std::string>& command, const Allocation& allocation,
                         const JobEnvironment& around);

/// A word as a shell reads it back: in single quotes unless nothing in it means anything to a shell.
std::string shell_word(const std::string& text);

/// "#SBATCH --job-name=x\n". sbatch reads these lines by rules of its own, not a shell's. Throws Error (exit 2) for
/// what no such line can hold: control characters, line breaks above all.
std::string directive(const std::string& option);

/// A path for --output: in it sbatch replaces nothing. Throws Error (exit 2) if it has a backslash.
std::string output_path(const std::string& path);

}  // namespace compeer::launch
