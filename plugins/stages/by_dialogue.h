#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "statistics/bootstrap.h"

// Counts of a stage for each dialogue, needed for bootstrap intervals over dialogues, because judgements within one
// dialogue are not independent. A stage reports named counts for each record (Outcome::counts); Stage::findings
// receives their sums. Names of counts of one dialogue begin with a dot and contain its id; reports don't show them.

namespace compeer::stages {

/// Returns the name under which the count `name` is stored for the record's dialogue: "." + dialogue + "\n" + `name`.
std::string dialogue_count_name(const nlohmann::json& record, const std::string& name);

/// Counts of one dialogue: count by its own name, without dot and dialogue.
using DialogueCounts = std::map<std::string, double>;

/// Returns the counts of each dialogue, one element for each, from the summed counts that Stage::findings receives.
/// Counts that belong to no dialogue are left out.
std::vector<DialogueCounts> by_dialogue(const std::map<std::string, double>& counts);

/// Returns an estimate with its confidence interval as a figure of Stage::findings, {"value", "low", "high"}; null for
/// numbers that are not finite.
nlohmann::json interval_json(const statistics::BootstrapInterval& estimate);

}  // namespace compeer::stages
