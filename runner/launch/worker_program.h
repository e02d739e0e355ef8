#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "launch/process.h"

namespace compeer::launch {

/// The program `compeer-worker`: what COMPEER_WORKER names, else the one beside this program. Throws Error (exit 1).
std::string find_worker();

/// What stands before the worker's own command: mpirun for several ranks, else nothing; with COMPEER_LAUNCHER=srun, as
/// batch scripts have it, srun for any number. Throws Error if mpirun is missing.
std::vector<std::string> rank_launcher(int64_t ranks, int64_t threads);

/// "NAME=VALUE" of variables that give each library so many threads; 0: as they choose.
std::vector<std::string> thread_environment(int64_t threads);

/// The same, and libtorch's threads do not spin while ours work.
std::vector<std::string> arithmetic_environment(int64_t threads);

/// The same, and memory that is kept for the next step, in large pages where the system has them: faster, and some
/// 100 MB more of it.
std::vector<std::string> training_environment(int64_t threads);

/// The same, and what MPI needs here. What the user has set stays.
std::vector<std::string> rank_environment(int64_t ranks, int64_t threads);

/// Replaces this process by `compeer-worker model NAME OPTIONS`, which keeps its standard input and output, its
/// signals and its exit code. `threads` 0 leaves the number of threads to the machine.
[[noreturn]] void become_worker(const std::string& name, const nlohmann::json& options, int threads);

/// Has the worker program answer one question, in a process of its own: the command `name` with {"input": a file that
/// holds `input`}. One that takes longer than `seconds` is killed.
ProgramOutput ask_worker(const std::string& name, const std::string& input, const std::vector<std::string>& environment,
                         double seconds);

/// The last line it said that is an object with this key, or null: plugins may say something in between.
nlohmann::json last_line(const std::string& text, const char* key);

}  // namespace compeer::launch
