#pragma once
#include <nlohmann/json.hpp>

namespace compeer::worker {

/// Collective; for `compeer doctor`, which checks machines and starts one process (rank) per host with srun or mpirun.
/// Tests messages between the ranks and compares their programs, clocks and access to a shared folder. `options`:
/// {"folder": absolute path, "findings": any JSON of this host, which is part of the result}. Rank 0 prints {"testing":
/// "messages"} and the like before each test, so that a hang can be attributed, and finally
///   {"hosts": [for each rank:
///      "host", "program" (SHA-256), "torch", "mpi" (versions), "findings",
///      "clock"        seconds ahead of rank 0
///      "reads"        true if the rank can read rank 0's file
///      "seen"         true if rank 0 can read the rank's file
///      "locked_out"   true if the rank can't lock a file that rank 0 has locked
///      "problem"      error in the rank's test of the folder, if any],
///    "seconds": time to gather 4 MiB from each rank,
///    "folder": the tested folder, "problem": why it can't be written, or ""}
/// If the folder can't be written, "reads", "seen" and "locked_out" are missing. Returns 0.
int check_hosts(const nlohmann::json& options);

/// Collective; for `compeer about`. `options` are not used. Rank 0 prints a line of JSON with the versions of libtorch,
/// its BLAS and MPI, and the hosts of all ranks:
/// {"torch":"2.11.0","blas":"mkl","mpi":"Open MPI v4.1.4","ranks":2,"hosts":["n07","n07"]}. Returns 0.
int about(const nlohmann::json& options);

}  // namespace compeer::worker
