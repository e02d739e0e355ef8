#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "comm/stop_flag.h"
#include "comm/world.h"
#include "plugin/host.h"

namespace compeer::data {

/// The task `data`: the dataset as records, then stage after stage. Collective. Writes into the folder `run`
///
///   stages/00-<dataset>.jsonl, stages/01-<label>.jsonl ...   the records after each stage
///   stages/01-<label>.dropped.jsonl                          {"id", "reason"} of those that ended there
///   answers/                                                 what chat models answered (plugin/chat_memory.h)
///   run.h5, status.json, summary.json                        as any run; summary.json has "details"
///
/// and keeps finished stages in `.stages` beside the run's folder, where a run with the same beginning finds them; but
/// not one in which a chat model gave no answer, so that the next run asks again.
/// Errors and polite stops are as in train/task.h.
void run(comm::World& world, const comm::StopFlag& stop, const nlohmann::json& spec_file,
         const std::filesystem::path& folder, plugin::Services services);

}  // namespace compeer::data
