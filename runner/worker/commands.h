#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace compeer::worker {

/// Executes `compeer-worker model NAME OPTIONS`, which the front end calls with its own standard input and output. All
/// commands but `about` and `check_hosts` run in one process without MPI. `options`: object with all options of the
/// command; the front end has checked their names, types and ranges. Returns the exit code. Throws Error on failure,
/// (exit 2) if there is no such command.
int model_command(const std::string& name, const nlohmann::json& options);

}  // namespace compeer::worker
