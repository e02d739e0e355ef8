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
///   stages/01-<label>.dropped.jsonl                          {"id", "reason"} of those that ended there, and the
///                                                            "answer" of a chat model for which they did
///   asked/                                                   what the run has paid for (data/report.h)
///   run.h5, status.json, summary.json                        as any run; summary.json has "details"
///
/// and beside the run's folder, for all runs there: finished stages in `.stages`, where a run with the same beginning
/// finds them (but not one in which a chat model gave no answer, so that the next run asks again), and what chat models
/// answered in `answers` (plugin/answer_store.h). A stage that dropped everything, or has too many answers that could
/// not be read, is an Error (exit 4) that says why. Errors and polite stops are as in train/task.h.
void run(comm::World& world, const comm::StopFlag& stop, const nlohmann::json& spec_file,
         const std::filesystem::path& folder, plugin::Services services);

}  // namespace compeer::data
