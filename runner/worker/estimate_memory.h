#pragma once
#include <nlohmann/json.hpp>

namespace compeer::worker {

/// What a batch script asks of memory, in the worker. OPTIONS: {"input": a file as spec.json}. Prints {"mib": MiB that
/// a rank of the run is estimated to take}, with the run's plugins opened in this process.
int estimate_memory(const nlohmann::json& options);

}  // namespace compeer::worker
