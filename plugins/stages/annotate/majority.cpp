#include "stages/annotate/majority.h"

#include <limits>

namespace compeer::stages {

bool same(const Judgement& a, const Judgement& b) { return a.steps == b.steps && a.preference == b.preference; }

namespace {

template <class Label>
std::optional<Label> common(const std::vector<Label>& labels) {
  for (size_t i = 0; i < labels.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (labels[i] == labels[j]) return labels[i];
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Judgement> majority(const std::vector<Judgement>& all) {
  Judgement judgement;
  for (size_t step = 0; step < judgement.steps.size(); ++step) {
    std::vector<char> labels;
    for (const Judgement& one : all) labels.push_back(one.steps[step]);
    const auto label = common(labels);
    if (!label) return std::nullopt;
    judgement.steps[step] = *label;
  }
  std::vector<empathy::Preference> preferences;
  for (const Judgement& one : all) preferences.push_back(one.preference);
  const auto preference = common(preferences);
  if (!preference) return std::nullopt;
  judgement.preference = *preference;
  return judgement;
}

Agreement agreement(const std::vector<std::vector<double>>& table) {
  const size_t labels = table.size();
  std::vector<double> first(labels), second(labels);
  double items = 0, equal = 0;
  for (size_t i = 0; i < labels; ++i) {
    equal += table[i][i];
    for (size_t j = 0; j < labels; ++j) {
      items += table[i][j];
      first[i] += table[i][j];
      second[j] += table[i][j];
    }
  }
  const double observed = equal / items;
  double chance = 0, pooled = 0;
  for (size_t i = 0; i < labels; ++i) {
    const double share = (first[i] + second[i]) / (2 * items);
    chance += first[i] / items * second[i] / items;
    pooled += share * share;
  }
  const auto kappa = [&](double by_chance) {
    return by_chance < 1 ? (observed - by_chance) / (1 - by_chance) : std::numeric_limits<double>::quiet_NaN();
  };
  return {observed, kappa(chance), kappa(pooled)};
}

}  // namespace compeer::stages
