#pragma once
#include <ATen/core/Tensor.h>

#include <span>

#include "grpo/settings.h"

// From rewards to advantages, the factors of the policy gradient. A group is the G completions of one prompt; a step
// has one group for each of its prompts. Eq. 3 of the paper PEER (arXiv 2508.09521) is the default rule. NaN marks a
// missing reward.

namespace compeer::grpo {

/// Returns the advantages of all groups of a step: A_i = (r_i - baseline) / divisor. `rule`: the choice of baseline and
/// divisor, and bounds. `rewards` and the result are float64
/// [prompts, G]. A NaN reward (a completion without a reward) is ignored in means and deviations and gets advantage 0.
/// Unless the baseline is `none`, a group with equal rewards or fewer than two rewards gets exact zeros.
at::Tensor advantages(const at::Tensor& rewards, const AdvantageRule& rule = {});

/// Returns the weighted sum of one completion's rewards, added in their order. NaN rewards are ignored; NaN if there
/// are no others. A reward of weight 0 is ignored, too, unless all weights are 0. All weighted sums of rewards use this
/// function.
double weighted_sum(std::span<const double> rewards, std::span<const double> weights);

/// The same for each completion; a term is one of the rewards that are added: float64 `rewards` [prompts, G, terms] and
/// `weights` [terms] -> [prompts, G].
at::Tensor weighted_sum(const at::Tensor& rewards, const at::Tensor& weights);

/// Returns GDPO advantages: normalizes each reward term within its group, takes the weighted sum, and normalizes the
/// sums over the step, so that the scale of a term does not affect its influence. float64 `rewards` [prompts, G, terms]
/// -> [prompts, G]. NaN rewards are ignored; completions without any get 0. `epsilon` is added to the standard
/// deviations.
at::Tensor normalize_then_sum(const at::Tensor& rewards, const at::Tensor& weights, double epsilon = 1e-6);

/// True for each group with rewards that are all equal (NaN ignored), so that it contributes no gradient.
/// rewards [prompts, G] -> bool [prompts].
at::Tensor zero_variance(const at::Tensor& rewards);

}  // namespace compeer::grpo
