#pragma once
#include <nlohmann/json.hpp>

namespace compeer::data {

/// `compeer rescore` in the worker. OPTIONS: {"stage", "dataset": what contract/plugin_choice.h chose, "file",
/// "max_unreadable", "json": whether as JSON}. As JSON: what the stage finds, and as "rescored" what it was found in:
///   {"stage", "file", "records", "counts", "dropped": [{"id", "record", "reason"}], "unreadable": [{"record",
///   "reason"}]}
int rescore(const nlohmann::json& options);

}  // namespace compeer::data
