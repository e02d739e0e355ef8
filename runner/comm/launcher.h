#pragma once
#include <optional>
#include <string>

// The launcher is the program that starts the processes (ranks) of a run: mpirun or Slurm's srun.

namespace compeer::comm {

/// Returns the number of processes that the launcher has started, from its environment variables: 1 without a launcher,
/// nullopt if the launcher does not set the number. Does not start MPI. Throws Error (exit code 2: wrong command line
/// or machine) if Slurm has started several tasks that MPI can't connect.
std::optional<int> launched_ranks();

/// Returns a warning, a sentence for the user, if Slurm allocated several tasks to this job, but this process was
/// started without srun or mpirun; otherwise "".
std::string launcher_remark();

}  // namespace compeer::comm
