#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/runs/run_data.h"

namespace compeer::report {

/// Who is evaluated, and under which circumstances, as specs tell it. `stage` is a stage of a data run, or 0 for an
/// evaluate run as a whole.

/// The stage whose settings say who is evaluated: this one, or the one before it that played what this one measures.
size_t subject_stage(const RunData& run, size_t stage);

/// The models that are evaluated, by folder or by name at an endpoint: the model of an evaluate run; of a stage the
/// supporter, or the judge of steps and then the one of replies.
std::vector<std::string> subject_paths(const RunData& run, size_t stage);

/// The settings that name who is evaluated, and how it is asked.
nlohmann::json subject_settings(const RunData& run, size_t stage);

/// The data that a run's stages begin with: the data set's settings, and which splits.
nlohmann::json data_of(const RunData& run);

/// What must agree for two evaluations to measure the same thing. Of evaluate runs: data, split, rewards and the way of
/// decoding. Of stages: data, what became of it before, and the rest of the settings.
nlohmann::json circumstances(const RunData& run, size_t stage);

/// "Greedy", or "Sampled, temperature 1".
std::string decoding_of(const RunData& run);

}  // namespace compeer::report
