// From completions to rewards: what each reward plugin says, the weighted sum, and the reweighting within a group.
#include "train/batch/scoring.h"

#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "comm/phase.h"
#include "grpo/advantage.h"

namespace compeer::train {

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

std::string part_column(const RewardTerm& term, const std::string& part) {
  return "rewards/" + term.label + "/" + part;
}
std::string shaped_column(const RewardTerm& term) { return "shaped/" + term.label; }

// float32 [G, parts]; where the reward fails because of one completion, the error names it.
at::Tensor score_of(RewardTerm& term, const Group& group) {
  try {
    return plugin::score(term.plugin, group, term.parts);
  } catch (const plugin::NotFinite&) {
    throw;  // names the completion
  } catch (const plugin::PluginError& failure) {
    const auto completion = plugin::culprit(term.plugin, group, term.parts, failure);
    if (completion.empty()) throw;
    throw plugin::PluginError(completion, failure);
  }
}

// One column of a table [G, columns].
template <class Number>
std::vector<double> column_of(const at::Tensor& table, size_t column) {
  const auto* first = table.const_data_ptr<Number>();
  std::vector<double> values;
  for (int64_t row = 0; row < table.size(0); ++row)
    values.push_back(static_cast<double>(first[row * table.size(1) + static_cast<int64_t>(column)]));
  return values;
}

void add_reward(RewardTerm& term, const Group& group, ScoreTable& scores) {
  const comm::Phase here("score", term.plugin.identity().title());
  const auto table = score_of(term, group);
  for (size_t part = 0; part < term.parts.size(); ++part)
    scores.add(part_column(term, term.parts[part]), column_of<float>(table, part));
  auto shaped = scores[reward_column(term)];
  for (size_t i = 0; i < shaped.size(); ++i) {
    const Completion& completion = group.completions[i];
    shaped[i] = grpo::shaped(shaped[i], completion.tokens, completion.finished, term.shaping);
  }
  scores.add(shaped_column(term), std::move(shaped));
}

std::vector<double> weighted_sums(RunPlugins& plugins, const ScoreTable& scores) {
  std::vector<double> weights, sums;
  for (const RewardTerm& term : plugins.rewards()) weights.push_back(term.weight);
  for (size_t i = 0; i < scores.completions(); ++i) {
    std::vector<double> terms;
    for (const auto& column : shaped_columns(plugins)) terms.push_back(scores[column][i]);
    sums.push_back(grpo::weighted_sum(terms, weights));
    // Terms are finite, but with a large weight their sum may not be.
    if (std::isinf(sums.back()))
      throw plugin::NotFinite(plugins.rewards().front().plugin.identity(), "score",
                              "with its weight gives an infinite sum of rewards, of completion " + std::to_string(i),
                              "lower the weights of the rewards");
  }
  return sums;
}

// Runs `work`, whose errors then say which step and record they are about.
template <class Work>
auto about(uint64_t step, const PromptGroup& group, Work work) {
  const auto subject = fmt::format("step {}, record {}", step, group.example.id);
  try {
    return work();
  } catch (const plugin::NotFinite& failure) {
    throw plugin::NotFinite(subject, failure);
  } catch (const plugin::PluginError& failure) {
    if (failure.exit() == Exit::preempted) throw;  // no fault
    throw plugin::PluginError(subject, failure);
  }
}

// float64 [completions, 1 + factors]; undefined if there are no completions.
at::Tensor reweighted(RunPlugins& plugins, const Group& group, const std::vector<double>& rewards) {
  std::vector<std::string> names;
  for (const auto& column : plugins.factors()) names.push_back(column.substr(column.find('/') + 1));
  const comm::Phase here("score", plugins.reweighting()->identity().title());
  if (rewards.empty()) return {};
  return plugin::reweight(*plugins.reweighting(), group, at::tensor(rewards, at::kDouble), names);
}

}  // namespace

std::string reward_column(const RewardTerm& term) { return part_column(term, term.parts.front()); }

std::vector<std::string> shaped_columns(RunPlugins& plugins) {
  std::vector<std::string> names;
  for (const RewardTerm& term : plugins.rewards()) names.push_back(shaped_column(term));
  return names;
}

std::vector<std::string> logged_score_columns(RunPlugins& plugins) {
  std::vector<std::string> names{"reward"};
  for (const RewardTerm& term : plugins.rewards()) {
    for (const auto& part : term.parts) names.push_back(part_column(term, part));
  }
  names.emplace_back("reweighted");
  names.insert(names.end(), plugins.factors().begin(), plugins.factors().end());
  return names;
}

std::vector<WeightedPart> weighted_parts(const std::vector<RewardTerm>& rewards) {
  std::vector<WeightedPart> all;
  for (const RewardTerm& term : rewards) {
    if (term.weight == 0) continue;
    for (const auto& part : term.parts) all.push_back({part_column(term, part), term.weight});
  }
  return all;
}

ScoreTable score(RunPlugins& plugins, uint64_t step, const PromptGroup& group) {
  return about(step, group, [&] {
    ScoreTable scores(group.completions.size());
    for (RewardTerm& term : plugins.rewards()) add_reward(term, {group.example, group.completions}, scores);
    scores.add("reward", weighted_sums(plugins, scores));
    return scores;
  });
}

std::vector<double> reweight(RunPlugins& plugins, uint64_t step, const PromptGroup& group, ScoreTable& scores) {
  const auto& sums = scores["reward"];
  std::vector<Completion> completions;
  std::vector<double> rewards;
  for (size_t i = 0; i < sums.size(); ++i) {
    if (std::isnan(sums[i])) continue;
    completions.push_back(group.completions[i]);
    rewards.push_back(sums[i]);
  }
  const auto table = about(step, group, [&] { return reweighted(plugins, {group.example, completions}, rewards); });
  auto names = plugins.factors();
  names.insert(names.begin(), "reweighted");
  for (size_t column = 0; column < names.size(); ++column) {
    const auto known = rewards.empty() ? std::vector<double>() : column_of<double>(table, column);
    std::vector<double> values;
    auto next = known.begin();
    for (const double sum : scores["reward"]) values.push_back(std::isnan(sum) ? no_number : *next++);
    scores.add(names[column], std::move(values));
  }
  return scores["reweighted"];
}

ScoreTable unscored(RunPlugins& plugins, const PromptGroup& group) {
  const size_t count = group.completions.size();
  ScoreTable scores(count);
  for (const RewardTerm& term : plugins.rewards()) {
    for (const auto& part : term.parts) scores.add(part_column(term, part), std::vector<double>(count, no_number));
    scores.add(shaped_column(term), std::vector<double>(count, no_number));
  }
  scores.add("reward", std::vector<double>(count, no_number));
  return scores;
}

}  // namespace compeer::train
