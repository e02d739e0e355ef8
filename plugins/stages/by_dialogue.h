#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "statistics/bootstrap.h"

namespace compeer::stages {

/// Judgements of one dialogue are not independent, so bootstraps draw dialogues. For this a stage counts by dialogue
/// too, under names that begin with a dot: they reach `Stage::findings`, and no report.

/// The name of a count of the record's dialogue.
std::string of_dialogue(const nlohmann::json& record, const std::string& name);

/// What was counted so of one dialogue: name -> count.
using DialogueCounts = std::map<std::string, double>;

/// What was counted so, dialogue by dialogue.
std::vector<DialogueCounts> by_dialogue(const std::map<std::string, double>& counts);

/// A figure of dialogues as findings tell it: {"value", "low", "high"}; null is what is not a number.
nlohmann::json figure(const statistics::BootstrapInterval& estimate);

}  // namespace compeer::stages
