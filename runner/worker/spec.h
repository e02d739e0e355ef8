#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>

#include "comm/world.h"

namespace compeer::worker {

/// Collective. Reads the run's spec.json on rank 0 and returns it on all ranks. Throws RankError if it is missing or
/// invalid, or if the run would write to files outside its folder (record::refuse_outside_files).
nlohmann::json read_spec(comm::World& world, const std::filesystem::path& run);

/// Collective. Throws RankError unless all ranks have the same worker program, plugins and list of allowed plugins.
/// Rank 0 prints notes about plugins that have changed since the spec was resolved, and about a different number of
/// ranks.
void check_agreement(comm::World& world, const nlohmann::json& spec_file);

}  // namespace compeer::worker
