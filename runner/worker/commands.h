#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace compeer::worker {

/// A function of `compeer-worker model NAME OPTIONS` or `compeer-tools NAME OPTIONS`, which the front end executes with
/// its own standard input and output. `options`: object with all options of the command; the front end has checked
/// their names, types and ranges. Returns the exit code. Throws Error on failure.
using ModelCommand = int (*)(const nlohmann::json& options);

/// Executes `compeer-worker model NAME OPTIONS`. All commands but `about` and `check_hosts` run in one process without
/// MPI. Commands that the worker does not have are those of `compeer-tools`, which replaces this process. Returns the
/// exit code. Throws Error on failure.
int model_command(const std::string& name, const std::string& options);

}  // namespace compeer::worker
