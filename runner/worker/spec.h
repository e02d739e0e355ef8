#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>

#include "comm/world.h"

// The settings of a run at the start of its processes, the ranks. spec.json, a file in the run's folder, contains the
// settings ("spec") and the libraries of the plugins ("plugins").

namespace compeer::worker {

/// Collective. Reads spec.json in the folder `run` on rank 0 and returns its contents on all ranks. Throws RankError,
/// the error of one rank on all ranks, if it is missing or invalid, or if a symbolic link in the folder would make the
/// run write to files outside of it.
nlohmann::json read_spec(comm::World& world, const std::filesystem::path& run);

/// Collective. Throws RankError unless all ranks have the same program, plugins and list of allowed plugins.
/// `spec_file`: contents of spec.json.
/// Rank 0 prints notes about plugins that have changed since the spec was resolved, and about a different number of
/// ranks.
void check_agreement(comm::World& world, const nlohmann::json& spec_file);

}  // namespace compeer::worker
