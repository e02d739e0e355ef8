#pragma once
#include <nlohmann/json.hpp>
#include <string>

/// Text for the terminal about the results of a run of the task `data`. Such a run passes records (dialogues) through a
/// list of stages, which change, drop or measure them. The findings of a stage that measures something are a JSON
/// object of figures. A figure is {"value", "low", "high"}: a number with its 95 % interval, null if there is none.
namespace compeer::record {

/// Returns the findings of one stage as text: a table of the figures that the list "columns" in `findings` names, over
/// all records and per group of records; then the other numbers, and the curves. Without "columns", the table has the
/// figures that the list "shares" names, and the other figures of the groups.
///
///                    n  mean_emotion          success
///   all            100  68.15 [62.80, 73.20]  0.35 [0.26, 0.45]
///   kinds: avoid    34  61.03 [51.47, 70.00]  0.29 [0.15, 0.44]
///
///   ends: failure 13, limit 52, success 35
///   emotion: 40.00 45.85 ...
std::string findings_text(const nlohmann::json& findings);

/// Returns the numbers of records of each stage of a run as text. `details`: the member "details" of its summary.json.
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
