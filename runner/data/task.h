#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "comm/stop_flag.h"
#include "comm/world.h"
#include "plugin/host.h"

namespace compeer::data {

/// Collective. Runs the task `data`: converts the dataset to records and applies all stages. Writes to `folder`
///
///   stages/00-<dataset>.jsonl, stages/01-<label>.jsonl ...   the records after each stage
///   stages/01-<label>.dropped.jsonl                          {"id", "reason"} of dropped records, and "answer" if a
///                                                            chat model's answer is the reason
///   asked/                                                   paid requests (Ledger in data/report.h)
///   run.h5, status.json, summary.json                        as for any run; summary.json has "details"
///
/// and to its parent folder, for all runs there: `.stages`, the cache of finished stages, and `answers`, the answers of
/// chat models (plugin/answer_store.h). A stage in which a chat model gave no answer is not cached, so that the next
/// run asks again. Throws Error (exit 4) if a stage drops all records, or has more failed or unreadable answers than
/// the spec allows, (exit 85) if `stop` is raised.
void run(comm::World& world, const comm::StopFlag& stop, const nlohmann::json& spec_file,
         const std::filesystem::path& folder, plugin::Services services);

}  // namespace compeer::data
