// Counts of chosen labels against people's, and the figures computed from them.
#include "stages/label_choice/choices.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace compeer::stages {

using nlohmann::json;

std::vector<std::string> LabelChoices::people(const json& record, const std::string& step) {
  const auto people = record.find("people");
  if (people == record.end() || !people->is_object()) return {};
  return people->value(step, std::vector<std::string>());
}

std::string LabelChoices::summary(const json& record) const {
  json all = json::array();
  for (const char* step : steps) all.push_back(people(record, step));
  return all.dump();
}

void LabelChoices::add_summary(const std::string& summary) {
  const json all = json::parse(summary);
  for (size_t step = 0; step < steps.size(); ++step) {
    auto& known = labels_[step];
    for (const std::string label : all[step]) {
      const auto at = std::lower_bound(known.begin(), known.end(), label);
      if (at == known.end() || *at != label) known.insert(at, label);
    }
  }
}

namespace {

// Returns the label of a round that an answer is compared with: the answer itself if it is one of them, otherwise the
// first.
const std::string& truth_of(const std::vector<std::string>& people, const std::string& answer) {
  const auto among = std::find(people.begin(), people.end(), answer);
  return among == people.end() ? people.at(0) : *among;
}

// People's labels of a round, and the likelihood of each label of the step.
struct LabelledRound {
  std::vector<std::string> people;
  std::vector<double> likelihoods;
};

// Encodes a round as the name of a count. JSON preserves numbers exactly: ["strategy", ["Question"], [0.25, 0.5]].
std::string name_of(const std::string& step, const LabelledRound& round) {
  return json{step, round.people, round.likelihoods}.dump();
}

// Returns the rounds of each dialogue.
std::vector<std::vector<LabelledRound>> rounds_of(const std::vector<DialogueCounts>& dialogues,
                                                  const std::string& step) {
  std::vector<std::vector<LabelledRound>> all;
  for (const auto& counts : dialogues) {
    auto& rounds = all.emplace_back();
    for (const auto& [name, times] : counts) {
      const json one = name.starts_with('[') ? json::parse(name) : json();
      if (one.size() == 3 && one[0] == step) rounds.insert(rounds.end(), std::lround(times), {one[1], one[2]});
    }
  }
  return all;
}

// Returns the counts as if the chosen label of each round were `topic.words[answer(round)]`.
template <class Answer>
std::vector<DialogueCounts> answered(const JudgedTopic& topic, const std::vector<std::vector<LabelledRound>>& dialogues,
                                     Answer&& answer) {
  std::vector<DialogueCounts> all;
  for (const auto& rounds : dialogues) {
    auto& counts = all.emplace_back();
    for (const LabelledRound& round : rounds) {
      const auto& label = topic.words[answer(round)];
      counts[cell(topic, truth_of(round.people, label), label)] += 1;
    }
  }
  return all;
}

size_t greatest(std::span<const double> values) {
  return static_cast<size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

// Returns the label that most rounds have.
size_t commonest(const JudgedTopic& topic, const std::vector<std::vector<LabelledRound>>& dialogues) {
  std::vector<double> rounds_with(topic.words.size());
  for (const auto& rounds : dialogues) {
    for (const LabelledRound& round : rounds) {
      for (size_t label = 0; label < topic.words.size(); ++label)
        rounds_with[label] += static_cast<double>(std::ranges::count(round.people, topic.words[label]));
    }
  }
  return greatest(rounds_with);
}

std::vector<double> mean_likelihoods(const JudgedTopic& topic,
                                     const std::vector<std::vector<LabelledRound>>& dialogues) {
  std::vector<double> mean(topic.words.size());
  double n = 0;
  for (const auto& rounds : dialogues) n += static_cast<double>(rounds.size());
  for (const auto& rounds : dialogues) {
    for (const LabelledRound& round : rounds) {
      for (size_t label = 0; label < mean.size(); ++label) mean[label] += round.likelihoods[label] / n;
    }
  }
  return mean;
}

// Returns the label whose likelihood exceeds its mean the most.
size_t furthest_above(const std::vector<double>& mean, const LabelledRound& round) {
  std::vector<double> above(mean.size());
  for (size_t label = 0; label < mean.size(); ++label) above[label] = round.likelihoods[label] - mean[label];
  return greatest(above);
}

}  // namespace

void LabelChoices::choose(json& record, size_t step, std::span<const double> likelihoods, Outcome& outcome) const {
  const LabelledRound round{people(record, steps[step]), {likelihoods.begin(), likelihoods.end()}};
  const std::string& chosen = labels_[step][greatest(likelihoods)];
  record["judged"][steps[step]] = chosen;
  json& all = record["likelihoods"][steps[step]] = json::object();
  for (size_t label = 0; label < likelihoods.size(); ++label) all[labels_[step][label]] = likelihoods[label];
  stages::count(record, cell({steps[step], {}}, truth_of(round.people, chosen), chosen), outcome);
  outcome.counts[dialogue_count_name(record, name_of(steps[step], round))] = 1;
}

json LabelChoices::findings(const std::map<std::string, double>& counts, const statistics::Resampling& how) const {
  const auto dialogues = by_dialogue(counts);
  json all = json::object();
  for (size_t step = 0; step < steps.size(); ++step) {
    const JudgedTopic topic{steps[step], labels_[step]};
    json found = classified(topic, dialogues, how);
    if (found.is_null()) continue;
    const auto rounds = rounds_of(dialogues, steps[step]);
    const auto beside = [&](const char* name, auto&& answer) {
      const json other = classified(topic, answered(topic, rounds, answer), how);
      for (const char* figure : {"weighted_f1", "accuracy"}) found[name][figure] = other.at(figure);
    };
    const auto most = commonest(topic, rounds);
    beside("majority", [&](const LabelledRound&) { return most; });
    const auto mean = mean_likelihoods(topic, rounds);
    beside("calibrated", [&](const LabelledRound& round) { return furthest_above(mean, round); });
    all[steps[step]] = std::move(found);
  }
  all["better"]["higher"] = {"weighted_f1", "accuracy"};
  return all;
}

}  // namespace compeer::stages
