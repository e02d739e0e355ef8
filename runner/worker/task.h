#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "comm/stop_flag.h"
#include "comm/world.h"

namespace compeer::worker {

/// Does what spec.json says (`spec_file` is the whole file, equal on all ranks), writing into the folder `run`.
/// Called by every rank. Returns when the task is done; throws RankError when the ranks have failed together; any
/// other exception means that this rank alone has failed, and ends all. A stop that the ranks have agreed on is an
/// Error with Exit::preempted on all of them, thrown after the checkpoint.
void run_task(comm::World& world, const nlohmann::json& spec_file, const std::filesystem::path& run, bool resume,
              comm::StopFlag& stop);

/// MiB that rank 0 of such a run is estimated to take (docs/running.md, "What a run prints first"), with the task's
/// plugins opened in this process, which is a world of one, and nothing computed. What has to be written goes into
/// `scratch`. Throws Error (exit 4) for the task data, of which nothing is known beforehand.
double estimate_memory(const nlohmann::json& spec_file, const std::filesystem::path& scratch, comm::StopFlag& stop);

}  // namespace compeer::worker
