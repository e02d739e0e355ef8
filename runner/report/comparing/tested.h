#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/runs/run_data.h"

namespace compeer::report {

/// The stage whose settings say who is tested: this one, or the one before it that played what this one measures.
size_t subject_stage(const RunData& run, size_t number);

/// Paths that the settings of who is tested name, the first first: of the supporter, or of the judge's models.
std::vector<std::string> tested_paths(const nlohmann::json& settings);

/// The data that a run's stages begin with: the data set's settings, and which splits.
nlohmann::json data_of(const RunData& run);

/// What must agree for two trials to measure the same thing: data, what became of it before, and the rest of the
/// settings.
nlohmann::json circumstances(const RunData& run, size_t number);

}  // namespace compeer::report
