#pragma once
#include <nlohmann/json.hpp>

namespace compeer::data {

/// Runs `compeer data stats`: counts and prints the contents of data sets. Options: {"sources": [{"source", "plugin",
/// "path", "sha256", "settings"}], "json": print JSON, "all": list every unreadable record}. Returns 0.
int data_stats(const nlohmann::json& options);

}  // namespace compeer::data
