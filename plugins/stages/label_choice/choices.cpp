#include "stages/label_choice/choices.h"

#include <algorithm>
#include <map>

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

namespace {

// Of the labels that people gave a round, the one that an answer is held against.
const std::string& truth_of(const std::vector<std::string>& people, const std::string& answer) {
  const auto among = std::find(people.begin(), people.end(), answer);
  return among == people.end() ? people.at(0) : *among;
}

// What people said of a round, as the name of a count: ["strategy", ["Question", "Others"]].
std::string said(const std::string& step, const std::vector<std::string>& people) { return json{step, people}.dump(); }

// f(labels, times) for what people said of each round of a dialogue.
template <class F>
void each_said(const DialogueCounts& counts, const std::string& step, F&& f) {
  for (const auto& [name, times] : counts) {
    const json one = name.starts_with('[') ? json::parse(name) : json();
    if (one.size() == 2 && one[0] == step) f(one[1].get<std::vector<std::string>>(), times);
  }
}

// The same rounds, if the answer were always the label that most of them have.
std::vector<DialogueCounts> always_the_commonest(const std::vector<DialogueCounts>& dialogues,
                                                 const std::string& step) {
  std::map<std::string, double> rounds;
  for (const auto& counts : dialogues) {
    each_said(counts, step, [&](const auto& people, double times) {
      for (const auto& label : people) rounds[label] += times;
    });
  }
  const auto most = std::max_element(rounds.begin(), rounds.end(),
                                     [](const auto& one, const auto& other) { return one.second < other.second; });
  std::vector<DialogueCounts> all;
  for (const auto& counts : dialogues) {
    auto& same = all.emplace_back();
    each_said(counts, step, [&](const auto& people, double times) {
      same[cell({step, {}}, truth_of(people, most->first), most->first)] += times;
    });
  }
  return all;
}

}  // namespace

void LabelChoices::count(const json& record, size_t step, size_t chosen, Outcome& outcome) const {
  const auto right = people(record, steps[step]);
  const std::string& answer = labels_[step][chosen];
  stages::count(record, cell({steps[step], {}}, truth_of(right, answer), answer), outcome);
  outcome.counts[of_dialogue(record, said(steps[step], right))] = 1;
}

json LabelChoices::findings(const std::map<std::string, double>& counts, const statistics::Resampling& how) const {
  const auto dialogues = by_dialogue(counts);
  json all = json::object();
  for (size_t step = 0; step < steps.size(); ++step) {
    const JudgedTopic topic{steps[step], labels_[step]};
    json found = classified(topic, dialogues, how);
    if (found.is_null()) continue;
    const json majority = classified(topic, always_the_commonest(dialogues, steps[step]), how);
    for (const char* figure : {"weighted_f1", "accuracy"}) found["majority"][figure] = majority.at(figure);
    all[steps[step]] = std::move(found);
  }
  all["better"]["higher"] = {"weighted_f1", "accuracy"};
  return all;
}

}  // namespace compeer::stages
