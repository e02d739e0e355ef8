#include "train/update/step_totals.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <numeric>

#include "grpo/masks.h"
#include "train/update/one_thread.h"

namespace compeer::train {

namespace {

std::vector<double> counted_tokens(const std::vector<LearningGroup>& groups) {
  std::vector<double> all;
  for (const LearningGroup& group : groups) {
    const auto counted = group.counted();
    all.insert(all.end(), counted.begin(), counted.end());
  }
  return all;
}

// Entropies, when they were drawn, of the tokens that count.
std::vector<double> counted_entropies(const std::vector<LearningGroup>& groups) {
  std::vector<double> all;
  for (const LearningGroup& group : groups) {
    const auto counted = group.counted();
    for (size_t i = 0; i < counted.size(); ++i) {
      const auto& of_tokens = group.source->samples[i].entropies;
      if (counted[i] > 0) all.insert(all.end(), of_tokens.begin(), of_tokens.end());
    }
  }
  return all;
}

}  // namespace

StepTotals totals_over_ranks(comm::World& world, const std::vector<LearningGroup>& mine, const GrpoSettings& settings) {
  const auto counted = from_all_ranks(world, counted_tokens(mine));
  StepTotals totals;
  grpo::StepContext& step = totals.step;
  step.size = {static_cast<double>(counted.size()), std::accumulate(counted.begin(), counted.end(), 0.0),
               static_cast<double>(settings.sampling.max_new_tokens)};
  step.bonus_tokens = step.size.tokens;
  totals.completions =
      static_cast<double>(std::count_if(counted.begin(), counted.end(), [](double n) { return n > 0; }));
  if (!settings.objective.only_high_entropy) return totals;
  const auto entropies = from_all_ranks(world, counted_entropies(mine));
  // As precise as the entropies themselves, so that comparing in either type agrees.
  const auto threshold = static_cast<float>(grpo::entropy_threshold(entropies, settings.high_entropy_share));
  step.entropy_threshold = static_cast<double>(threshold);
  step.bonus_tokens = static_cast<double>(
      std::count_if(entropies.begin(), entropies.end(), [&](double e) { return e >= step.entropy_threshold; }));
  return totals;
}

at::Tensor advantages_over_ranks(comm::World& world, const BatchColumns& mine, const GrpoSettings& settings,
                                 const std::vector<std::string>& terms) {
  const OneThread one_thread;
  const auto& rule = settings.rule;
  if (!settings.gdpo) return grpo::advantages(column_of_all_ranks(world, mine, "learned"), rule).contiguous();
  std::vector<at::Tensor> columns;
  for (const auto& term : terms) columns.push_back(column_of_all_ranks(world, mine, term));
  const auto weights = at::tensor(settings.reward_weights, at::kDouble);
  const auto sums = grpo::normalize_then_sum(at::stack(columns, -1), weights, rule.epsilon);
  return sums.clamp(rule.least, rule.most).contiguous();
}

}  // namespace compeer::train
