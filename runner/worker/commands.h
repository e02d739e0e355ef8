#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace compeer::worker {

/// A command that needs libtorch or a model, such as generation, and so is not a part of the program compeer, the front
/// end. The front end executes it as `compeer-worker model NAME OPTIONS` with its own standard input and output;
/// further commands are in the program compeer-tools. `options`: object with all options of the command; the front end
/// has checked their names, types and ranges. Returns the exit code. Throws Error on failure.
using ModelCommand = int (*)(const nlohmann::json& options);

/// Executes the command `name`. `options`: JSON text. All commands but `about` and `check_hosts` run in one process
/// without MPI. For a command that this program does not have, this process is replaced by `compeer-tools NAME
/// OPTIONS`. Returns the exit code. Throws Error on failure.
int model_command(const std::string& name, const std::string& options);

}  // namespace compeer::worker
