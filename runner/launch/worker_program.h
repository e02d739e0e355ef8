#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "launch/process.h"

// Command lines and environments of the worker, the program compeer-worker, which executes runs (in one process per
// rank) and single commands that need a model.

namespace compeer::launch {

/// Returns the path of `compeer-worker`: COMPEER_WORKER if it is set, which is not checked, otherwise the file in this
/// program's folder. Throws Error (exit code 1: other failure) if that file is missing or not executable.
std::string find_worker();

/// Returns the words that precede the worker's command: mpirun and its options for several ranks, none for one rank.
/// With COMPEER_LAUNCHER=srun, which batch scripts set, they are srun and its options for any number of ranks.
/// `threads`: CPUs per rank, for srun. Throws Error if mpirun is missing (exit code 1) or the launcher is unknown (exit
/// code 2: wrong command line).
std::vector<std::string> rank_launcher(int64_t ranks, int64_t threads);

/// Returns variables, as "NAME=VALUE", that set the number of threads of OpenMP, OpenBLAS and MKL, also where the user
/// has set another. Empty if `threads` is 0: the libraries decide.
std::vector<std::string> thread_environment(int64_t threads);

/// Returns thread_environment, and OMP_WAIT_POLICY=passive unless it is set: idle OpenMP threads don't spin.
std::vector<std::string> arithmetic_environment(int64_t threads);

/// Returns arithmetic_environment, and settings of malloc unless GLIBC_TUNABLES is set: freed memory is kept, in huge
/// pages if there are any. This is faster and takes about 100 MB more memory.
std::vector<std::string> training_environment(int64_t threads);

/// Returns training_environment, and the settings of Open MPI that this host needs, unless they are set. Used for the
/// ranks of runs.
std::vector<std::string> rank_environment(int64_t ranks, int64_t threads);

/// Replaces this process by `compeer-worker model NAME OPTIONS` with arithmetic_environment(threads), where NAME is a
/// command of the worker and OPTIONS is `options` as JSON text. Standard streams and process id stay. Throws Error
/// (exit code 1) if the program is missing or can't be started.
[[noreturn]] void exec_worker(const std::string& name, const nlohmann::json& options, int threads);

/// Runs `compeer-worker model NAME {"input": FILE}`, where FILE is a temporary file with the text `input`, and returns
/// its exit code and output. `environment` is added to this process's. The program is killed after `seconds`. Throws
/// Error (exit code 1) if it is missing.
ProgramOutput run_worker(const std::string& name, const std::string& input, const std::vector<std::string>& environment,
                         double seconds);

/// Returns the last line of a worker's output `text` that is a JSON object with this key, or null. Other lines may come
/// from plugins.
nlohmann::json last_line(const std::string& text, const char* key);

}  // namespace compeer::launch
