#pragma once
#include <nlohmann/json.hpp>

namespace compeer::data {

/// Runs `compeer rescore`: passes the records of a file through an evaluation stage and prints its findings. Options:
///   "stage", "dataset"   the chosen plugins with their settings (conformance/plugin_choice.h)
///   "file"               the file, for messages
///   "max_unreadable"     allowed fraction of unreadable records
///   "json"               true: print JSON
/// JSON output: the stage's findings, with "rescored": {"stage", "file", "records", "counts", "dropped": [{"id",
/// "record", "reason"}], "unreadable": [{"record", "reason"}]}.
/// Returns 0. Throws Error (exit 2) if the stage is no evaluation, (exit 4) if too many records are unreadable or none
/// could be scored; the output is then printed before the error.
int rescore(const nlohmann::json& options);

}  // namespace compeer::data
