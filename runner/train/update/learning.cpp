// One group: forward, objective, backward. The objective works on log-probs and entropies alone, so its gradient is
// taken first, on one thread, and then led into the model.
#include "train/update/learning.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>

#include <algorithm>

#include "base/random.h"
#include "train/update/one_thread.h"

namespace compeer::train {

namespace {

at::Tensor sampled_entropies(const ScoredGroup& group) {
  std::vector<float> all;
  for (const auto& sample : group.samples) all.insert(all.end(), sample.entropies.begin(), sample.entropies.end());
  return at::tensor(all);
}

// A random number for each place.
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

// What the policy gains by the rewards as they are: each completion's mean ratio times its reward, if it has one.
double surrogate(const LearningGroup& group, const grpo::Completions& c) {
  const auto mean_ratio = grpo::row_mean(grpo::ratio(c, grpo::Level::token), c.mask);
  return (mean_ratio.squeeze(1) * at::tensor(group.scored->rewards, at::kDouble)).nansum().item<double>();
}

void read_off(UpdateStats& stats, const LearningGroup& group, const grpo::Completions& c, const grpo::GroupLoss& loss,
              const grpo::Objective& objective) {
  const at::NoGradGuard no_grad;
  const auto cut = grpo::clipping(c, loss.ratio, objective);
  stats.sum = {loss.value.item<double>(),
               cut.low,
               cut.high,
               cut.places,
               surrogate(group, c),
               grpo::row_sum(c.sampled_entropy, c.mask).sum().item<double>(),
               0.0};
  stats.furthest = cut.furthest;
  if (!group.reference.defined()) return;
  const auto kl = grpo::kl(c.log_prob, c.reference, objective.estimator, objective.kl_limits);
  stats.sum[UpdateStats::kl] = grpo::row_sum(kl, c.mask).sum().item<double>();
}

}  // namespace

LearningGroup::LearningGroup(const ScoredGroup& group, bool mask_truncated)
    : scored(&group),
      batch(group_batch(group)),
      counts(at::ones({static_cast<int64_t>(group.samples.size()), 1}, at::kFloat)) {
  for (size_t i = 0; i < group.samples.size(); ++i) {
    if (mask_truncated && !group.samples[i].finished) counts[static_cast<int64_t>(i)].zero_();
  }
}

std::vector<double> LearningGroup::counted() const {
  std::vector<double> all;
  for (size_t i = 0; i < batch.lengths.size(); ++i)
    all.push_back(counts[static_cast<int64_t>(i)].item<double>() * static_cast<double>(batch.lengths[i]));
  return all;
}

grpo::Completions LearningGroup::completions(const at::Tensor& log_prob, const at::Tensor& entropy) const {
  const grpo::Layout layout(batch.lengths);
  grpo::Completions c;
  c.mask = layout.mask * counts;
  c.log_prob = layout.side_by_side(log_prob);
  c.old_log_prob = layout.side_by_side(batch.sampled_log_probs);
  if (reference.defined()) c.reference = layout.side_by_side(reference);
  c.entropy = layout.side_by_side(entropy);
  c.sampled_entropy = layout.side_by_side(sampled_entropies(*scored));
  c.advantage = at::tensor(advantages, at::kFloat).unsqueeze(1);
  return c;
}

kernels::TokenLogprobs log_probs(rollout::Policy& policy, const GroupBatch& batch, double temperature) {
  const auto hidden = at::index_select(policy.model.forward(batch.batch, nullptr), 0, batch.rows);
  return policy.arithmetic.token_logprobs(hidden, policy.head, batch.targets, temperature);
}

std::vector<double> sampled_kl(const LearningGroup& group, const grpo::Objective& objective) {
  const OneThread one_thread;
  const grpo::Layout layout(group.batch.lengths);
  const auto estimates = grpo::kl(group.batch.sampled_log_probs.to(at::kDouble), group.reference.to(at::kDouble),
                                  objective.estimator, objective.kl_limits);
  const auto sums = grpo::row_sum(layout.side_by_side(estimates), layout.mask).contiguous();
  const auto* sum = sums.const_data_ptr<double>();
  return {sum, sum + sums.numel()};
}

UpdateStats& UpdateStats::operator+=(const UpdateStats& more) {
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += more.sum[i];
  furthest = std::max(furthest, more.furthest);
  difference = std::max(difference, more.difference);
  return *this;
}

UpdateStats learn(const Passes& passes, Parameters& parameters, const LearningGroup& group,
                  const grpo::Objective& objective, const grpo::Step& step, RngKey key, std::span<float> gradient,
                  bool on, const Parameters::Ready& ready) {
  const bool whole = group.batch.batch.tokens.numel() <= passes.at_once;
  const auto now = [&] {
    const at::AutoGradMode graph(whole);
    return passes.forward(group.batch);
  }();
  UpdateStats stats;
  at::Tensor dlog_prob, dentropy;
  {
    const OneThread one_thread;
    const auto log_prob = now.log_prob.detach().clone().requires_grad_(true);
    const auto entropy = now.entropy.detach().clone().requires_grad_(objective.entropy_bonus != 0);
    const auto c = group.completions(log_prob, entropy);
    const auto loss = grpo::group_loss(c, objective, step, {}, drawn(key, group.scored->index, c.mask));
    loss.value.backward();
    dlog_prob = log_prob.grad(), dentropy = entropy.grad();
    read_off(stats, group, c, loss, objective);
    stats.difference = (now.log_prob.detach() - group.batch.sampled_log_probs).abs().max().item<double>();
  }
  parameters.collect(gradient, on, [&] {
    const auto last = [&] { parameters.last_pass(ready); };
    if (!whole) return passes.back(group.batch, dlog_prob, dentropy, last);
    auto into_model = (now.log_prob * dlog_prob).sum();
    if (dentropy.defined()) into_model = into_model + (now.entropy * dentropy).sum();
    last();
    into_model.backward();
  });
  return stats;
}

}  // namespace compeer::train
