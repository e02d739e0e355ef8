#include "train/step_table.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "grpo/diversity.h"

namespace compeer::train {

namespace {

using nlohmann::json;

// Mean entropy and log-probability of a completion's tokens.
double mean(const std::vector<float>& values) {
  double total = 0;
  for (const float value : values) total += static_cast<double>(value);
  return values.empty() ? 0.0 : total / static_cast<double>(values.size());
}

json pack(const ScoredGroup& group) {
  json lengths = json::array(), entropies = json::array(), log_probs = json::array(), finished = json::array(),
       texts = json::array();
  for (size_t i = 0; i < group.samples.size(); ++i) {
    lengths.push_back(static_cast<double>(group.samples[i].tokens.size()));
    entropies.push_back(mean(group.samples[i].entropies));
    log_probs.push_back(mean(group.samples[i].log_probs));
    finished.push_back(group.samples[i].finished ? 1.0 : 0.0);
    texts.push_back(group.completions[i].text);
  }
  return json::array({group.example.id, group.values, group.rewards, lengths, entropies, log_probs, finished, texts});
}

StepTable::Group unpack(const json& packed) {
  using Doubles = std::vector<double>;
  return {packed[0].get<std::string>(), packed[1].get<std::vector<Doubles>>(),
          packed[2].get<Doubles>(),     packed[3].get<Doubles>(),
          packed[4].get<Doubles>(),     packed[5].get<Doubles>(),
          packed[6].get<Doubles>(),     packed[7].get<std::vector<std::string>>()};
}

// Of the completions that have a reward.
double deviation(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  if (values.size() < 2) return 0;
  const double middle = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - middle) * (value - middle);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

}  // namespace

bool all_equal(const std::vector<double>& rewards) {
  std::set<double> different;
  for (const double reward : rewards) {
    if (!std::isnan(reward)) different.insert(reward);
  }
  return different.size() < 2;
}

StepTable StepTable::gather(comm::World& world, const std::vector<ScoredGroup>& mine) {
  json packed = json::array();
  for (const ScoredGroup& group : mine) packed.push_back(pack(group));
  const auto bytes = json::to_msgpack(packed);
  StepTable table;
  for (const auto& part : world.gather({reinterpret_cast<const char*>(bytes.data()), bytes.size()})) {
    for (const json& group : json::from_msgpack(part)) table.groups.push_back(unpack(group));
  }
  return table;
}

std::vector<std::string> StepTable::columns(const std::vector<std::string>& score_columns) {
  auto names = score_columns;
  for (const char* name : {"reward_std", "zero_variance", "length", "truncated", "entropy", "distinct_1", "distinct_2"})
    names.push_back(name);
  return names;
}

std::vector<std::pair<std::string, double>> StepTable::metrics(const std::vector<std::string>& score_columns) const {
  std::vector<double> sums(score_columns.size()), counts(score_columns.size());
  double completions = 0, length = 0, finished = 0, entropy = 0, spread = 0, equal = 0;
  std::vector<std::string> texts;
  for (const Group& group : groups) {
    for (size_t i = 0; i < group.values.size(); ++i) {
      for (size_t c = 0; c < sums.size(); ++c) {
        if (!std::isnan(group.values[i][c])) sums[c] += group.values[i][c], counts[c] += 1;
      }
      completions += 1;
      length += group.lengths[i];
      finished += group.finished[i];
      entropy += group.entropies[i];
    }
    spread += deviation(group.rewards);
    equal += all_equal(group.rewards) ? 1.0 : 0.0;
    texts.insert(texts.end(), group.texts.begin(), group.texts.end());
  }
  std::vector<std::pair<std::string, double>> all;
  for (size_t c = 0; c < sums.size(); ++c) all.emplace_back(score_columns[c], sums[c] / counts[c]);  // NaN: nobody
  const auto count = static_cast<double>(groups.size());
  all.emplace_back("reward_std", spread / count);
  all.emplace_back("zero_variance", equal / count);
  all.emplace_back("length", length / completions);
  all.emplace_back("truncated", 1.0 - finished / completions);
  all.emplace_back("entropy", entropy / completions);
  all.emplace_back("distinct_1", grpo::distinct(texts, 1));
  all.emplace_back("distinct_2", grpo::distinct(texts, 2));
  return all;
}

}  // namespace compeer::train
