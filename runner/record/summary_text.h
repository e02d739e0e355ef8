#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace compeer::record {

/// What an evaluation has found, for people: a table of the figures that its "columns" name, of all and of each group,
/// or of what it calls "shares" and the other figures of its groups; then its other numbers and its curves. A figure is
/// {"value", "low", "high"}:
///
///                    n  mean_emotion          success
///   all            100  68.15 [62.80, 73.20]  0.35 [0.26, 0.45]
///   kinds: avoid    34  61.03 [51.47, 70.00]  0.29 [0.15, 0.44]
///
///   ends: failure 13, limit 52, success 35
///   emotion: 40.00 45.85 ...
std::string findings_text(const nlohmann::json& findings);

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
