#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "report/runs/run_data.h"

namespace compeer::report {

/// A spec as one value per path: "grpo.lr" -> "0.0002", "rewards[0].plugin" -> "\"length\"". Lists of plain values stay
/// whole.
std::map<std::string, std::string> flattened(const nlohmann::json& spec);

/// Paths whose values differ between these, a path that only some have included.
std::set<std::string> differing(const std::vector<std::map<std::string, std::string>>& flat);

/// Paths whose values differ between these runs, a path that only some have included. The name is left out, and the
/// fingerprint of an input whose path differs anyway.
std::vector<std::string> changed(const std::vector<const RunData*>& runs);

/// Quotes help in a spec, and are noise in a table.
std::string unquoted(const std::string& value);

}  // namespace compeer::report
