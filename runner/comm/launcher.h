#pragma once
#include <optional>
#include <string>

namespace compeer::comm {

/// Returns the number of processes that the launcher (mpirun, srun) has started, from its environment variables. 1
/// without a launcher, nullopt if the launcher does not set the number. Throws Error (exit 2) if Slurm has started
/// several tasks that MPI can't connect.
std::optional<int> launched_ranks();

/// Returns a warning if Slurm allocated several tasks to this job, but this process was started without srun or mpirun;
/// otherwise "".
std::string launcher_remark();

}  // namespace compeer::comm
