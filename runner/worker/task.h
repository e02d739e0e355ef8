#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "comm/stop_flag.h"
#include "comm/world.h"

namespace compeer::worker {

/// Collective. Runs the task of a spec and writes to the folder `run`. `spec_file`: contents of spec.json, equal on all
/// ranks. `resume`: continue from the newest checkpoint. Throws RankError if the ranks have failed together; any other
/// exception means that only this rank has failed. If `stop` is raised, all ranks throw Error (exit 85) after writing a
/// checkpoint.
void run_task(comm::World& world, const nlohmann::json& spec_file, const std::filesystem::path& run, bool resume,
              comm::StopFlag& stop);

/// Estimates the memory of rank 0 in a run, in MiB (docs/running.md, "What a run prints first"). Opens the task's
/// plugins in this process, as a world of one rank, without running a step. Temporary files are written to `scratch`.
/// Throws Error (exit 4) for the task data, whose memory depends on its stages.
double estimate_memory(const nlohmann::json& spec_file, const std::filesystem::path& scratch, comm::StopFlag& stop);

}  // namespace compeer::worker
