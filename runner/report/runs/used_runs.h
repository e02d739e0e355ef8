#pragma once
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "report/runs/run_data.h"

namespace compeer::report {

/// "results/A/checkpoints/last", "results/A/stages/02-sample.jsonl" -> "results/A"; any other path as it is.
std::filesystem::path run_folder(const std::filesystem::path& path);

/// Calls `visit` for every text in a spec, with its path: "rewards[0].model".
void each_text(nlohmann::json& spec, const std::function<void(const std::string& path, nlohmann::json& text)>& visit);

/// Fills in `run.used`: the specs of runs whose checkpoints, records or findings it uses, and of those that these used,
/// as far as they are still there. So repetitions are known as such though only the last of their runs is reported on.
void load_used(RunData& run);

}  // namespace compeer::report
