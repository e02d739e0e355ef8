#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "statistics/bootstrap.h"

namespace compeer::stages {

/// Counts by dialogue, for bootstraps over dialogues: judgements within one dialogue are not independent. Stages store
/// them as counts whose names begin with a dot. Stage::findings receives these counts; reports do not show them.

/// Returns the name of a count that belongs to the record's dialogue.
std::string dialogue_count_name(const nlohmann::json& record, const std::string& name);

/// Counts of one dialogue by name.
using DialogueCounts = std::map<std::string, double>;

/// Returns the counts of each dialogue; other counts are left out.
std::vector<DialogueCounts> by_dialogue(const std::map<std::string, double>& counts);

/// Returns an estimate in the form of findings: {"value", "low", "high"}, with null for numbers that are not finite.
nlohmann::json interval_json(const statistics::BootstrapInterval& estimate);

}  // namespace compeer::stages
