// Names of counts by dialogue, and their collection.
#include "stages/by_dialogue.h"

#include <cmath>

#include "stages/records.h"

namespace compeer::stages {

std::string dialogue_count_name(const nlohmann::json& record, const std::string& name) {
  return "." + dialogue_of(record) + "\n" + name;
}

std::vector<DialogueCounts> by_dialogue(const std::map<std::string, double>& counts) {
  std::map<std::string, std::map<std::string, double>> dialogues;
  for (const auto& [name, count] : counts) {
    if (!name.starts_with('.')) continue;
    const auto end = name.rfind('\n');
    dialogues[name.substr(0, end)][name.substr(end + 1)] += count;
  }
  std::vector<DialogueCounts> all;
  for (auto& [dialogue, cells] : dialogues) all.push_back(std::move(cells));
  return all;
}

nlohmann::json interval_json(const statistics::BootstrapInterval& estimate) {
  const auto number = [](double value) { return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(); };
  return {{"value", number(estimate.value)}, {"low", number(estimate.low)}, {"high", number(estimate.high)}};
}

}  // namespace compeer::stages
