#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace compeer::record {

/// What became of a data set's records, stage by stage: `details` of the summary of a run of the task `data`.
///
///   stage              in       out   dropped
///   01-filter         200       154        46
///     dropped: artificial 26, incoherent 20
///     counted: answers that could not be read 3
///     chat models: asked 203, from memory 0, no answer 0; tokens: 12345 asked, 400 answered; cost 0.0131
///   asked large-model in all: 210 requests, 0 failed; 12870 tokens asked, 412 answered; cost 0.0137
///
/// The last line is the whole run's, over all its starts.
///
/// Empty for any other run.
std::string stages_text(const nlohmann::json& details);

}  // namespace compeer::record
