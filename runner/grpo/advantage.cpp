// Group advantages (Eq. 3) and the variants of other papers. NaN marks a missing reward throughout, so means and
// deviations are computed here instead of by libtorch.
#include "grpo/advantage.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace compeer::grpo {

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

at::Tensor given(const at::Tensor& rewards) { return rewards.isnan().logical_not().to(at::kDouble); }
at::Tensor or_zero(const at::Tensor& rewards) { return rewards.nan_to_num(0.0); }

// Mean and standard deviation (n - 1) along `dim`, ignoring NaN. Two passes, so that a large common offset does not
// cancel.
struct Moments {
  at::Tensor mean, std;
};
Moments moments(const at::Tensor& rewards, at::IntArrayRef dim) {
  const auto there = given(rewards), count = there.sum(dim, true);
  const auto mean = or_zero(rewards).sum(dim, true) / count.clamp_min(1.0);
  const auto square = ((or_zero(rewards) - mean).square() * there).sum(dim, true);
  return {mean, (square / (count - 1.0).clamp_min(1.0)).sqrt()};
}

// [prompts, G]: mean of the other rewards of the group; 0 if there are none.
at::Tensor mean_of_others(const at::Tensor& rewards) {
  const auto there = given(rewards), others = (there.sum(1, true) - there).clamp_min(1.0);
  return (or_zero(rewards).sum(1, true) - or_zero(rewards)) / others;
}

}  // namespace

at::Tensor advantages(const at::Tensor& rewards, const AdvantageRule& rule) {
  TORCH_CHECK(rewards.dim() == 2 && rewards.scalar_type() == at::kDouble, "rewards must be float64 [prompts, G]");
  const auto group = moments(rewards, {1});
  const auto difference = rule.baseline == Baseline::none    ? rewards
                          : rule.baseline == Baseline::group ? rewards - group.mean
                                                             : rewards - mean_of_others(rewards);
  auto divisor = at::full_like(rewards, rule.divisor == Divisor::fixed ? rule.value : 1.0);
  if (rule.divisor == Divisor::std) divisor = group.std.expand_as(rewards) + rule.epsilon;
  if (rule.divisor == Divisor::batch) divisor = moments(rewards, {0, 1}).std.expand_as(rewards) + rule.epsilon;
  const auto result = (difference / divisor.clamp_min(rule.floor)).nan_to_num(0.0).clamp(rule.min, rule.max);
  if (rule.baseline == Baseline::none) return result;
  const auto alone = given(rewards).sum(1, true).lt(2.0);
  return result.masked_fill(zero_variance(rewards).unsqueeze(1).logical_or(alone), 0.0);
}

double weighted_sum(std::span<const double> rewards, std::span<const double> weights) {
  TORCH_CHECK(rewards.size() == weights.size(), rewards.size(), " rewards have ", weights.size(), " weights");
  const bool any_counts = std::any_of(weights.begin(), weights.end(), [](double weight) { return weight != 0; });
  double sum = missing;
  for (size_t i = 0; i < rewards.size(); ++i) {
    if (std::isnan(rewards[i]) || (weights[i] == 0 && any_counts)) continue;
    sum = (std::isnan(sum) ? 0.0 : sum) + weights[i] * rewards[i];
  }
  return sum;
}

at::Tensor weighted_sum(const at::Tensor& rewards, const at::Tensor& weights) {
  TORCH_CHECK(rewards.dim() == 3 && weights.dim() == 1 && rewards.size(2) == weights.size(0),
              "rewards must be [prompts, G, terms], weights [terms]");
  const auto terms = static_cast<size_t>(rewards.size(2));
  const auto each = rewards.contiguous(), factors = weights.contiguous();
  auto sums = at::empty({rewards.size(0), rewards.size(1)}, at::kDouble);
  const auto* first = each.const_data_ptr<double>();
  for (double& sum : std::span(sums.mutable_data_ptr<double>(), static_cast<size_t>(sums.numel()))) {
    sum = weighted_sum(std::span(first, terms), std::span(factors.const_data_ptr<double>(), terms));
    first += terms;
  }
  return sums;
}

at::Tensor normalize_then_sum(const at::Tensor& rewards, const at::Tensor& weights, double epsilon) {
  const auto each = moments(rewards, {1});
  const auto sum = weighted_sum((rewards - each.mean) / (each.std + epsilon), weights);
  const auto all = moments(sum, {0, 1});
  return ((sum - all.mean) / (all.std + epsilon)).nan_to_num(0.0);
}

at::Tensor zero_variance(const at::Tensor& rewards) {
  const auto low = rewards.nan_to_num(std::numeric_limits<double>::infinity());
  const auto high = rewards.nan_to_num(-std::numeric_limits<double>::infinity());
  return std::get<0>(high.max(1)).le(std::get<0>(low.min(1)));
}

}  // namespace compeer::grpo
