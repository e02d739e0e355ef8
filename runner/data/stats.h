#pragma once
#include <nlohmann/json.hpp>

namespace compeer::data {

/// `compeer data stats` in the worker. OPTIONS: {"sources": [{"source", "plugin", "path", "sha256", "settings"}],
/// "json": whether as JSON, "all": whether to name every record that can't be read}.
int data_stats(const nlohmann::json& options);

}  // namespace compeer::data
