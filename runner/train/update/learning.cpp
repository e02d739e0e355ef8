// One group: forward pass, objective, backward pass. The objective depends on the model only through log-probs and
// entropies. Its gradient with respect to these is computed first, on one thread, and then propagated into the model.
#include "train/update/learning.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <numeric>

#include "base/random.h"
#include "grpo/advantage.h"
#include "grpo/objective.h"

namespace compeer::train {

namespace {

at::Tensor sampled_entropies(const PromptGroup& group) {
  std::vector<float> all;
  for (const auto& sample : group.samples) all.insert(all.end(), sample.entropies.begin(), sample.entropies.end());
  return at::tensor(all);
}

// A random number in [0, 1) for each position of the mask.
at::Tensor drawn(RngKey key, int64_t group, const at::Tensor& mask) {
  auto order = at::empty(mask.sizes(), at::kFloat);
  auto* value = static_cast<float*>(order.data_ptr());
  for (uint32_t row = 0; row < mask.size(0); ++row) {
    for (uint32_t place = 0; place < mask.size(1); ++place)
      *value++ =
          static_cast<float>(uniform(key.seed, Stream::choice, key.step, static_cast<uint32_t>(group), row, place));
  }
  return order;
}

// Sum over completions of mean ratio x reward, ignoring NaN rewards: an estimate of the expected reward under the
// policy.
double surrogate(const LearningGroup& group, const grpo::Completions& c) {
  const auto mean_ratio = grpo::row_mean(grpo::ratio(c, grpo::Level::token), c.mask);
  return (mean_ratio.squeeze(1) * at::tensor(group.rewards, at::kDouble)).nansum().item<double>();
}

UpdateStats stats_of(const LearningGroup& group, const grpo::Completions& c, const grpo::GroupLoss& loss,
                     const grpo::Objective& objective) {
  const at::NoGradGuard no_grad;
  UpdateStats stats;
  const auto cut = grpo::clipping(c, loss.ratio, objective);
  stats.sum = {loss.value.item<double>(),
               cut.low,
               cut.high,
               cut.ratios,
               surrogate(group, c),
               grpo::row_sum(c.sampled_entropy, c.mask).sum().item<double>(),
               0.0};
  stats.ratio_distance = cut.max_distance;
  if (!group.reference.defined()) return stats;
  const auto kl = grpo::kl(c.log_prob, c.reference, objective.estimator, objective.kl_limits);
  stats.sum[UpdateStats::kl] = grpo::row_sum(kl, c.mask).sum().item<double>();
  return stats;
}

std::vector<double> counted_tokens(const std::vector<LearningGroup>& groups) {
  std::vector<double> all;
  for (const LearningGroup& group : groups) {
    const auto counted = group.unmasked_tokens();
    all.insert(all.end(), counted.begin(), counted.end());
  }
  return all;
}

// Entropies, at the time of sampling, of all unmasked tokens.
std::vector<double> counted_entropies(const std::vector<LearningGroup>& groups) {
  std::vector<double> all;
  for (const LearningGroup& group : groups) {
    const auto counted = group.unmasked_tokens();
    for (size_t i = 0; i < counted.size(); ++i) {
      const auto& of_tokens = group.source->samples[i].entropies;
      if (counted[i] > 0) all.insert(all.end(), of_tokens.begin(), of_tokens.end());
    }
  }
  return all;
}

}  // namespace

LearningGroup::LearningGroup(const PromptGroup& group, bool mask_truncated)
    : source(&group),
      batch(group_batch(group)),
      loss_mask(at::ones({static_cast<int64_t>(group.samples.size()), 1}, at::kFloat)) {
  for (size_t i = 0; i < group.samples.size(); ++i) {
    if (mask_truncated && !group.samples[i].finished) loss_mask[static_cast<int64_t>(i)].zero_();
  }
}

std::vector<double> LearningGroup::unmasked_tokens() const {
  std::vector<double> all;
  for (size_t i = 0; i < batch.lengths.size(); ++i)
    all.push_back(loss_mask[static_cast<int64_t>(i)].item<double>() * static_cast<double>(batch.lengths[i]));
  return all;
}

grpo::Completions LearningGroup::completions(const at::Tensor& log_prob, const at::Tensor& entropy) const {
  const grpo::PaddedLayout layout(batch.lengths);
  grpo::Completions c;
  c.mask = layout.mask * loss_mask;
  c.log_prob = layout.to_padded(log_prob);
  c.old_log_prob = layout.to_padded(batch.sampled_log_probs);
  if (reference.defined()) c.reference = layout.to_padded(reference);
  c.entropy = layout.to_padded(entropy);
  c.sampled_entropy = layout.to_padded(sampled_entropies(*source));
  c.advantage = at::tensor(advantages, at::kFloat).unsqueeze(1);
  return c;
}

std::vector<double> sampled_kl(const LearningGroup& group, const grpo::Objective& objective) {
  const OneThread one_thread;
  const grpo::PaddedLayout layout(group.batch.lengths);
  const auto estimates = grpo::kl(group.batch.sampled_log_probs.to(at::kDouble), group.reference.to(at::kDouble),
                                  objective.estimator, objective.kl_limits);
  const auto sums = grpo::row_sum(layout.to_padded(estimates), layout.mask).contiguous();
  const auto* sum = sums.const_data_ptr<double>();
  return {sum, sum + sums.numel()};
}

UpdateStats& UpdateStats::operator+=(const UpdateStats& more) {
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += more.sum[i];
  ratio_distance = std::max(ratio_distance, more.ratio_distance);
  rollout_difference = std::max(rollout_difference, more.rollout_difference);
  return *this;
}

UpdateStats accumulate_gradient(PolicyPass& policy, Parameters& parameters, const LearningGroup& group,
                                const UpdateContext& context, const Accumulation& into) {
  const bool in_parts = policy.needs_parts(group.batch);
  const auto now = [&] {
    const at::AutoGradMode graph(!in_parts);
    return policy.forward(group.batch);
  }();
  UpdateStats stats;
  at::Tensor dlog_prob, dentropy;
  {
    const OneThread one_thread;
    const auto log_prob = now.log_prob.detach().clone().requires_grad_(true);
    const auto entropy = now.entropy.detach().clone().requires_grad_(context.objective.entropy_bonus != 0);
    const auto c = group.completions(log_prob, entropy);
    const auto order = drawn(context.key, group.source->index, c.mask);
    const auto loss = grpo::group_loss(c, context.objective, context.step, {}, order);
    loss.value.backward();
    dlog_prob = log_prob.grad(), dentropy = entropy.grad();
    stats = stats_of(group, c, loss, context.objective);
    stats.rollout_difference = (now.log_prob.detach() - group.batch.sampled_log_probs).abs().max().item<double>();
  }
  parameters.collect(into.values, {into.add, into.is_zero, into.partial}, [&] {
    const auto before_last = [&] { parameters.begin_last_pass(into.on_ready); };
    if (in_parts) return policy.backward_in_parts(group.batch, dlog_prob, dentropy, before_last);
    auto weighted = (now.log_prob * dlog_prob).sum();  // has the gradient of the objective
    if (dentropy.defined()) weighted = weighted + (now.entropy * dentropy).sum();
    before_last();
    weighted.backward();
  });
  return stats;
}

void record_update(std::span<const double> sums, const StepTotals& totals, bool reference, MetricRow& row) {
  const double places = std::max(sums[UpdateStats::ratios], 1.0);
  row.set("loss", sums[UpdateStats::loss]);
  row.set("surrogate", sums[UpdateStats::surrogate] / std::max(totals.unmasked_completions, 1.0));
  row.set("clip_share_low", sums[UpdateStats::clipped_low] / places);
  row.set("clip_share_high", sums[UpdateStats::clipped_high] / places);
  row.set("clip_share", (sums[UpdateStats::clipped_low] + sums[UpdateStats::clipped_high]) / places);
  if (reference) row.set("kl", sums[UpdateStats::kl] / std::max(totals.step.size.tokens, 1.0));
}

StepTotals totals_over_ranks(comm::World& world, const std::vector<LearningGroup>& mine, const GrpoSettings& settings) {
  const auto counted = from_all_ranks(world, counted_tokens(mine));
  StepTotals totals;
  grpo::StepContext& step = totals.step;
  step.size = {static_cast<double>(counted.size()), std::accumulate(counted.begin(), counted.end(), 0.0),
               static_cast<double>(settings.sampling.max_new_tokens)};
  step.bonus_tokens = step.size.tokens;
  totals.unmasked_completions =
      static_cast<double>(std::count_if(counted.begin(), counted.end(), [](double n) { return n > 0; }));
  if (!settings.objective.only_high_entropy) return totals;
  const auto entropies = from_all_ranks(world, counted_entropies(mine));
  // Rounded to float32, like the entropies, so that comparisons in float32 and in double agree.
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
  return sums.clamp(rule.min, rule.max).contiguous();
}

}  // namespace compeer::train
