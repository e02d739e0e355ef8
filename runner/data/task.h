#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "comm/stop_flag.h"
#include "comm/world.h"
#include "plugin/host.h"

// The task `data` of a run: makes a data set in stages. Stage 0 converts the examples of a dataset plugin to records
// (JSON objects); each further stage is a plugin that turns records into others, or drops them.

namespace compeer::data {

/// Collective. Runs the task: converts the dataset to records and applies all stages. Writes to `folder`, the run's
/// folder,
///
///   stages/00-<dataset>.jsonl, stages/01-<label>.jsonl ...   the records after each stage
///   stages/01-<label>.dropped.jsonl                          {"id", "reason"} of dropped records, and "answer" if a
///                                                            chat model's answer is the reason
///   asked/                                                   paid replies of chat models, by rank
///   run.h5, status.json, summary.json                        as for any run; summary.json has "details"
///
/// and to its parent folder, shared by all runs in that folder: `.stages`, the cache of finished stages, and `answers`,
/// the answers of chat models. If a request to a chat model failed, the stage is not cached, so that the next run asks
/// again. `spec_file`: contents of spec.json, all settings of the run. `services`: log, plugin search and chat models
/// that plugins may use. Throws Error (exit code 4: unusable data) if a stage drops all records, or has more failed or
/// unreadable answers than the spec allows, (exit code 85: stopped, can be resumed) if `stop` is raised.
void run(comm::World& world, const comm::StopFlag& stop, const nlohmann::json& spec_file,
         const std::filesystem::path& folder, plugin::Services services);

}  // namespace compeer::data
