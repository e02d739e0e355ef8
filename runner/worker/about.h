#pragma once
#include <nlohmann/json.hpp>

namespace compeer::worker {

/// What the worker is made of, as one line of JSON: versions of libtorch, its BLAS and MPI; and, under a launcher, that
/// its ranks have met: {"torch":"2.11.0","blas":"mkl","mpi":"Open MPI v4.1.4","ranks":2,"hosts":["n07","n07"]}.
int about(const nlohmann::json& options);

}  // namespace compeer::worker
