#include "stages/world_truth/figures.h"

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "stages/by_dialogue.h"

namespace compeer::stages {

namespace {

using nlohmann::json;

constexpr const char* names[] = {"quality", "unhabituated", "history", "emotion", "strategy", "follows", "grammatical"};

// Of one dialogue: figure -> by round, where there is a value.
using Rounds = std::map<std::string, std::map<size_t, double>>;

// Mean over the values that `taken` picks of each dialogue.
json mean(const std::vector<Rounds>& dialogues, const std::string& name, const std::function<bool(size_t)>& taken,
          const statistics::Resampling& how) {
  std::vector<std::pair<double, double>> sums;  // of values, and how many
  double all = 0;
  for (const auto& dialogue : dialogues) {
    auto& [sum, n] = sums.emplace_back();
    const auto found = dialogue.find(name);
    if (found == dialogue.end()) continue;
    for (const auto& [round, value] : found->second) {
      if (taken(round)) sum += value, ++n, ++all;
    }
  }
  const auto of_rows = [&](std::span<const size_t> rows) {
    double sum = 0, n = 0;
    for (const size_t row : rows) sum += sums[row].first, n += sums[row].second;
    return sum / n;
  };
  json figure = stages::figure(statistics::bootstrap(sums.size(), of_rows, how));
  figure["n"] = static_cast<int64_t>(all);
  return figure;
}

json curve(const std::vector<Rounds>& dialogues, const std::string& name, const statistics::Resampling& how) {
  size_t rounds = 0;
  for (const auto& dialogue : dialogues) rounds = std::max(rounds, dialogue.at(name).rbegin()->first + 1);
  json all = json::array();
  for (size_t r = 0; r < rounds; ++r)
    all.push_back(mean(
        dialogues, name, [r](size_t round) { return round == r; }, how));
  return all;
}

}  // namespace

void count_true(const json& record, Outcome& outcome) {
  const json alone = {{"id", record.at("id")}};
  size_t round = 0;
  for (const json& one : record.at("truth")) {
    for (const auto& [name, value] : one.items()) {
      const double number = value.is_boolean() ? (value.get<bool>() ? 1.0 : 0.0) : value.get<double>();
      outcome.counts[of_dialogue(alone, name + "\t" + std::to_string(round))] = number;
    }
    ++round;
  }
}

json true_figures(const std::map<std::string, double>& counts, const statistics::Resampling& how) {
  std::vector<Rounds> dialogues;
  for (const auto& cells : by_dialogue(counts)) {
    Rounds& rounds = dialogues.emplace_back();
    for (const auto& [name, value] : cells) {
      const auto tab = name.find('\t');
      rounds[name.substr(0, tab)][std::stoul(name.substr(tab + 1))] = value;
    }
  }
  json found = {{"n", dialogues.size()}, {"columns", names}, {"better", {{"higher", names}}}};
  for (const char* name : names)
    found[name] = mean(
        dialogues, name, [](size_t) { return true; }, how);
  for (const char* name : {"quality", "unhabituated"}) found["curves"][name] = curve(dialogues, name, how);
  return found;
}

}  // namespace compeer::stages
