#include "train/update/pooled.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "grpo/masks.h"
#include "train/update/one_thread.h"

namespace compeer::train {

std::vector<double> of_everyone(comm::World& world, const std::vector<double>& mine) {
  std::string all;
  for (const auto& part : world.gather({reinterpret_cast<const char*>(mine.data()), mine.size() * sizeof(double)}))
    all += part;
  world.broadcast(all);
  std::vector<double> numbers(all.size() / sizeof(double));
  if (!all.empty()) std::memcpy(numbers.data(), all.data(), all.size());
  return numbers;
}

namespace {

template <class Numbers>
std::vector<double> pool(comm::World& world, const std::vector<LearningGroup>& mine, Numbers numbers_of) {
  std::vector<double> numbers;
  for (const LearningGroup& group : mine) {
    const auto more = numbers_of(group);
    numbers.insert(numbers.end(), more.begin(), more.end());
  }
  return of_everyone(world, numbers);
}

// Entropies, when they were drawn, of the tokens that count.
std::vector<double> entropies_of(const LearningGroup& group) {
  std::vector<double> all;
  const auto counted = group.counted();
  for (size_t i = 0; i < counted.size(); ++i) {
    const auto& of_tokens = group.scored->samples[i].entropies;
    if (counted[i] > 0) all.insert(all.end(), of_tokens.begin(), of_tokens.end());
  }
  return all;
}

std::vector<double> terms_of(const LearningGroup& group) {
  std::vector<double> all;
  for (const auto& terms : group.scored->terms) all.insert(all.end(), terms.begin(), terms.end());
  return all;
}

at::Tensor advantages_of_all(comm::World& world, const std::vector<LearningGroup>& mine, const GrpoSettings& settings) {
  const OneThread one_thread;
  const auto& rule = settings.rule;
  const std::vector<int64_t> shape{settings.batch, settings.group_size, -1};
  if (!settings.gdpo) {
    const auto rewards = pool(world, mine, [](const LearningGroup& group) { return group.scored->rewards; });
    return grpo::advantages(at::tensor(rewards, at::kDouble).view(shape).squeeze(2), rule);
  }
  const auto rewards = at::tensor(pool(world, mine, terms_of), at::kDouble).view(shape);
  const auto weights = at::tensor(settings.reward_weights, at::kDouble);
  return grpo::normalize_then_sum(rewards, weights, rule.epsilon).clamp(rule.least, rule.most);
}

}  // namespace

Pooled::Pooled(comm::World& world, const std::vector<LearningGroup>& mine, const GrpoSettings& settings) {
  const auto counted = pool(world, mine, [](const LearningGroup& group) { return group.counted(); });
  step.size = {static_cast<double>(counted.size()), std::accumulate(counted.begin(), counted.end(), 0.0),
               static_cast<double>(settings.sampling.max_new_tokens)};
  completions = static_cast<double>(std::count_if(counted.begin(), counted.end(), [](double n) { return n > 0; }));
  step.bonus_tokens = step.size.tokens;
  if (settings.objective.only_high_entropy) {
    const auto entropies = pool(world, mine, entropies_of);
    // As precise as the entropies themselves, so that comparing in either type agrees.
    const auto threshold = static_cast<float>(grpo::entropy_threshold(entropies, settings.high_entropy_share));
    step.entropy_threshold = static_cast<double>(threshold);
    step.bonus_tokens = static_cast<double>(
        std::count_if(entropies.begin(), entropies.end(), [&](double e) { return e >= step.entropy_threshold; }));
  }
  advantages = advantages_of_all(world, mine, settings).contiguous();
}

std::vector<double> Pooled::advantages_of(int64_t group) const {
  const auto* first = advantages.const_data_ptr<double>() + group * advantages.size(1);
  return {first, first + advantages.size(1)};
}

}  // namespace compeer::train
