#include "train/update/advantages.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>

#include "train/update/one_thread.h"
#include "train/update/step_totals.h"

namespace compeer::train {

namespace {

std::vector<double> rewards_of(const ScoredGroups& mine) {
  std::vector<double> all;
  for (const auto& rewards : mine.rewards) all.insert(all.end(), rewards.begin(), rewards.end());
  return all;
}

// [groups, completions, terms]
std::vector<double> terms_of(const ScoredGroups& mine, const std::vector<std::string>& columns) {
  std::vector<double> all;
  for (const ScoreTable& scores : mine.scores) {
    for (size_t i = 0; i < scores.completions(); ++i) {
      for (const auto& column : columns) all.push_back(scores[column][i]);
    }
  }
  return all;
}

}  // namespace

std::vector<double> Advantages::of(int64_t group) const {
  const auto* first = all.const_data_ptr<double>() + group * all.size(1);
  return {first, first + all.size(1)};
}

Advantages advantages_over_ranks(comm::World& world, const ScoredGroups& mine, const GrpoSettings& settings,
                                 const std::vector<std::string>& terms) {
  const OneThread one_thread;
  const auto& rule = settings.rule;
  if (!settings.gdpo) {
    const auto rewards = at::tensor(from_all_ranks(world, rewards_of(mine)), at::kDouble);
    return {grpo::advantages(rewards.view({settings.batch, settings.group_size}), rule).contiguous()};
  }
  const auto rewards = at::tensor(from_all_ranks(world, terms_of(mine, terms)), at::kDouble);
  const auto weights = at::tensor(settings.reward_weights, at::kDouble);
  const auto sums =
      grpo::normalize_then_sum(rewards.view({settings.batch, settings.group_size, -1}), weights, rule.epsilon);
  return {sums.clamp(rule.least, rule.most).contiguous()};
}

}  // namespace compeer::train
