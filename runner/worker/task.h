#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "comm/stop_flag.h"
#include "comm/world.h"

// The work of a run. A spec is the set of all settings of a run; its "task" is one of grpo, sft, evaluate and data. The
// ranks are the processes of a run.

namespace compeer::worker {

/// Collective. Runs the task of a spec and writes to the folder `run`. `spec_file`: contents of spec.json, equal on all
/// ranks. `resume`: continue from the newest checkpoint. Throws RankError on all ranks if they have failed
/// together; any other exception means that only this rank has failed. If `stop` is raised, all ranks throw Error (exit
/// code 85: stopped by a signal) after writing a checkpoint.
void run_task(comm::World& world, const nlohmann::json& spec_file, const std::filesystem::path& run, bool resume,
              comm::StopFlag& stop);

/// Returns an estimate of the memory of rank 0 in a run on CPUs, in MiB. `spec_file`: contents of spec.json. Opens the
/// task's plugins in this process, as a world of one rank, without running a step. Temporary files are written to
/// `scratch`. `stop` is passed to the plugins. Throws Error (exit code 4: invalid data) for the task data, because its
/// memory depends on its plugins.
double estimate_memory(const nlohmann::json& spec_file, const std::filesystem::path& scratch, comm::StopFlag& stop);

}  // namespace compeer::worker
