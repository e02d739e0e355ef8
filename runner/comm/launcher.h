#pragma once
#include <optional>
#include <string>

namespace compeer::comm {

/// How many processes the launcher (mpirun, srun) says it has started, from the variables it leaves in the
/// environment. 1 without a launcher; nothing if there is one that does not say. Throws Error if Slurm has started
/// several tasks that MPI cannot connect.
std::optional<int> launched_ranks();

/// A remark if a batch job was given several tasks and this process was started in it without a launcher; else "".
std::string launcher_remark();

}  // namespace compeer::comm
