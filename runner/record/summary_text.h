#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace compeer::record {

/// Returns the findings of an evaluation (Stage::findings) as text: a table of the figures that "columns" names,
/// overall and per group; then the other numbers and the curves. Without "columns", the table has the figures that
/// "shares" names, and the other figures of the groups. A figure is {"value", "low", "high"}:
///
///                    n  mean_emotion          success
///   all            100  68.15 [62.80, 73.20]  0.35 [0.26, 0.45]
///   kinds: avoid    34  61.03 [51.47, 70.00]  0.29 [0.15, 0.44]
///
///   ends: failure 13, limit 52, success 35
///   emotion: 40.00 45.85 ...
std::string findings_text(const nlohmann::json& findings);

/// Returns the numbers of records of each stage of a data run as text. `details`: Summary::details of the run.
///
///   stage              in       out   dropped
///   01-filter         200       154        46
///     dropped: artificial 26, incoherent 20
///     counted: answers that could not be read 3
///     chat models: asked 203, from stored answers 0, unanswered 0; tokens: 12345 in prompts, 400 in answers; cost
///     0.0131
///   sent to large-model in all: 210 requests, 0 failed; 12870 prompt tokens, 412 answer tokens; cost 0.0137
///
/// The last lines are totals per model over all starts of the run. "" for a run of another task.
std::string stages_text(const nlohmann::json& details);

}  // namespace compeer::record
