#pragma once
#include <ATen/core/Tensor.h>

#include <span>

#include "grpo/settings.h"

namespace compeer::grpo {

/// A_i = (r_i - baseline) / divisor over the groups of a step. NaN stands for a completion that nobody judged: it is
/// left out of means and deviations and gets 0. With a baseline, a group of equal rewards gets zeros exactly, and so
/// does a group with fewer than two rewards. rewards float64 [prompts, G] -> float64 [prompts, G].
at::Tensor advantages(const at::Tensor& rewards, const AdvantageRule& rule = {});

/// The rewards of one completion as one: the weighted sum of those that are there, added in their order. NaN stands for
/// a reward without an opinion, and for the sum of nothing. A reward of weight 0 doesn't count, unless all rewards have
/// weight 0. This is the only weighted sum of rewards.
double weighted_sum(std::span<const double> rewards, std::span<const double> weights);

/// The same for each completion: rewards float64 [prompts, G, terms], weights [terms] -> [prompts, G].
at::Tensor weighted_sum(const at::Tensor& rewards, const at::Tensor& weights);

/// GDPO: each term is normalised within its group, then summed with its weight, then the sums are normalised over the
/// step, so that no term drowns another by its scale. rewards float64 [prompts, G, terms] -> [prompts, G].
at::Tensor normalize_then_sum(const at::Tensor& rewards, const at::Tensor& weights, double epsilon = 1e-6);

/// Groups whose rewards are all equal: no gradient comes from them. rewards [prompts, G] -> bool [prompts].
at::Tensor zero_variance(const at::Tensor& rewards);

}  // namespace compeer::grpo
