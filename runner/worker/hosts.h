#pragma once
#include <nlohmann/json.hpp>

namespace compeer::worker {

/// For `compeer doctor`: one rank on each host, started by srun or mpirun. Tests that the ranks exchange messages and
/// compares their programs, clocks and view of a folder. `options`: {"folder": absolute path, "findings": any JSON of
/// this host}. Rank 0 prints {"testing": "messages"} and the like before each test, so that a hang has a name, then
///   {"hosts": [one object per rank: "host", "program", "torch", "mpi", "findings", "clock" in seconds ahead of rank 0,
///              "reads": rank 0's file, "seen": its own file by rank 0, "locked_out" of a file that rank 0 locked],
///    "seconds": for 4 MiB from each rank, "folder": path, "problem": why nothing can be written there, or ""}
int check_hosts(const nlohmann::json& options);

/// What the worker is made of, as one line of JSON: versions of libtorch, its BLAS and MPI; and, under a launcher, that
/// its ranks have met: {"torch":"2.11.0","blas":"mkl","mpi":"Open MPI v4.1.4","ranks":2,"hosts":["n07","n07"]}.
int about(const nlohmann::json& options);

}  // namespace compeer::worker
