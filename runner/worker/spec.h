#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>

#include "comm/world.h"

namespace compeer::worker {

/// The run's spec.json: read by rank 0, sent to all. Throws RankError if it can't be read or isn't one.
nlohmann::json read_spec(comm::World& world, const std::filesystem::path& run);

/// Throws RankError unless all ranks have the same spec, the same worker program and the same plugins. Says on rank 0's
/// standard error which plugins have changed since the spec was resolved, and if the number of ranks is another.
void check_agreement(comm::World& world, const nlohmann::json& spec_file);

}  // namespace compeer::worker
