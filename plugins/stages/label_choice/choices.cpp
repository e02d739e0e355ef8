#include "stages/label_choice/choices.h"

#include <algorithm>

namespace compeer::stages {

using nlohmann::json;

std::vector<std::string> LabelChoices::people(const json& record, const std::string& step) {
  const auto people = record.find("people");
  if (people == record.end() || !people->is_object()) return {};
  return people->value(step, std::vector<std::string>());
}

std::string LabelChoices::glimpse(const json& record) const {
  json all = json::array();
  for (const char* step : steps) all.push_back(people(record, step));
  return all.dump();
}

void LabelChoices::survey(const std::string& glimpse) {
  const json all = json::parse(glimpse);
  for (size_t step = 0; step < steps.size(); ++step) {
    auto& known = labels_[step];
    for (const std::string label : all[step]) {
      const auto at = std::lower_bound(known.begin(), known.end(), label);
      if (at == known.end() || *at != label) known.insert(at, label);
    }
  }
}

void LabelChoices::count(const json& record, size_t step, size_t chosen, Outcome& outcome) const {
  const auto right = people(record, steps[step]);
  const std::string& answer = labels_[step][chosen];
  const bool among = std::find(right.begin(), right.end(), answer) != right.end();
  stages::count(record, cell({steps[step], {}}, among ? answer : right.at(0), answer), outcome);
}

json LabelChoices::findings(const std::map<std::string, double>& counts, const statistics::Resampling& how) const {
  const auto dialogues = by_dialogue(counts);
  json all = json::object();
  for (size_t step = 0; step < steps.size(); ++step) {
    json found = classified({steps[step], labels_[step]}, dialogues, how);
    if (!found.is_null()) all[steps[step]] = std::move(found);
  }
  all["better"]["higher"] = {"weighted_f1", "accuracy"};
  return all;
}

}  // namespace compeer::stages
