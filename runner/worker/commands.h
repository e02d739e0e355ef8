#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace compeer::worker {

/// What `compeer-worker model NAME OPTIONS` does: one process, no MPI, standard input and output of whoever called the
/// front end. OPTIONS is a JSON object with every option present; the front end has checked names, types and ranges.
/// Returns the exit code; reports failure by throwing Error.
int model_command(const std::string& name, const nlohmann::json& options);

}  // namespace compeer::worker
