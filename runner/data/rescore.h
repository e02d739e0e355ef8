#pragma once
#include <nlohmann/json.hpp>

// The worker's part of `compeer rescore`, which applies an evaluation (a stage plugin that computes figures about
// records) to a file of records, such as the answers that a model gave earlier.

namespace compeer::data {

/// Runs `compeer rescore`: passes the records of a file through an evaluation stage and prints its findings, the
/// figures that it computes. Options:
///   "stage", "dataset"   the evaluation, and the reader of the file: {"plugin", "path", "sha256", "settings"} each
///   "file"               the file, for messages
///   "max_unreadable"     allowed fraction of unreadable records
///   "json"               true: print JSON
/// JSON output: the stage's findings, with "rescored": {"stage", "file", "records", "counts", "dropped": [{"id",
/// "record", "reason"}], "unreadable": [{"record", "reason"}]}.
/// Returns the exit code 0. Throws Error (exit code 2: wrong use) if the stage is no evaluation, (exit code 4: unusable
/// data) if too many records are unreadable, or, after printing the output, if no record could be scored.
int rescore(const nlohmann::json& options);

}  // namespace compeer::data
