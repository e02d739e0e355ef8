#pragma once
#include <optional>
#include <string>
#include <vector>

#include "grpo/completions.h"
#include "grpo/losses.h"
#include "grpo/settings.h"

// The loss of a GRPO step, which is the sum of the losses of its groups. A group is the G completions of one prompt,
// padded to the length T of the longest; groups are spread over ranks and micro-batches. A is the advantage. Importance
// ratios compare the trained policy pi with the policy pi_old that sampled the completions. The trained policy equals
// pi_old in the first update of the weights after sampling.

namespace compeer::grpo {

/// How token losses are reduced to the loss of a step. Counts are over all groups, ranks and micro-batches of the step,
/// so that the loss does not depend on how the step is divided.
enum class Average {
  completion,  ///< mean over completions of their token means             (grpo, sapo, gspo)
  token,       ///< mean over all tokens of the step                       (bnpo, dapo, cispo, vespo, clip_cov, kl_cov)
  constant,    ///< sum over tokens / (completions x max_new_tokens)       (dr_grpo)
  sum,         ///< mean over completions of their token sums              (luspo)
};

/// Size of the whole step, over all groups and ranks.
struct StepSize {
  double completions = 0;     ///< number of completions
  double tokens = 0;          ///< number of unmasked tokens
  double max_new_tokens = 0;  ///< limit of a completion's length in tokens
};

/// Returns the weight of each token in the loss of the step, 0 where the mask is 0: mask [G, T] -> [G, T]. The loss of
/// a step is the sum over its groups of sum(weights * losses). Completions that are empty or fully masked are included
/// in the number of completions. Token counts of 0 are replaced by 1.
at::Tensor weights(Average average, const at::Tensor& mask, const StepSize& step);

/// Returns the names that Objective::loss accepts, in the order of the documentation: "grpo", "bnpo", ...
std::vector<std::string> loss_names();

/// Values shared by all groups of a step.
struct StepContext {
  StepSize size;
  double entropy_threshold = 0;  ///< in nats; with Objective::only_high_entropy, tokens below it are excluded
  double bonus_tokens = 0;       ///< number of tokens, over all groups, that the entropy bonus averages over
};

/// One group's contribution to the loss of the step, which is the sum over all groups.
struct GroupLoss {
  at::Tensor value;      ///< the contribution: a scalar, with gradient
  at::Tensor per_token;  ///< [G, T] or [G, 1]: losses with masks and KL term, before averaging
  at::Tensor ratio;      ///< [G, T] or [G, 1]: importance ratios
  at::Tensor kl;         ///< [G, T]: KL estimates, before the coefficient; undefined without a KL term
};

/// Computes the loss of one group. Throws c10::Error if `completions` has wrong shapes or the loss is unknown. `step`:
/// totals of the step. `weight`: result of `correction`, which multiplies the policy loss (VESPO uses it inside phi);
/// undefined: 1. `order`: random numbers [G, T] for Clip-Cov, which is the only loss to use them.
GroupLoss group_loss(const Completions& completions, const Objective& objective, const StepContext& step,
                     const at::Tensor& weight = {}, const at::Tensor& order = {});

/// Statistics of the clipping of importance ratios in a group. Fields are sums that can be added over groups, except
/// `max_distance`.
struct Clipping {
  double ratios = 0;         ///< number of ratios: tokens, or completions with a ratio per completion
  double low = 0, high = 0;  ///< numbers of ratios below the lower limit with A < 0, above the upper one with A > 0
  double max_distance = 0;   ///< maximum of |ratio - 1|; exactly 0 at the first update
};
/// Computes the statistics. `ratio`: GroupLoss::ratio. The limits are those of `objective.cispo` for CISPO, otherwise
/// of `objective.clip`; `low` and `high` are 0 for losses that do not clip (SAPO, VESPO, KL-Cov).
Clipping clipping(const Completions& completions, const at::Tensor& ratio, const Objective& objective);

/// Returns the smallest entropy of the fraction `share` of tokens with the highest entropy: the (1 - share) quantile of
/// `entropies` (all tokens of the step), linearly interpolated. Infinity if there are none. Throws c10::Error unless 0
/// <= share <= 1.
double entropy_threshold(std::vector<double> entropies, double share);

/// Returns a mask [G, T] of 1 and 0: 1 for tokens with an entropy of at least `threshold` at the time of sampling.
at::Tensor high_entropy(const Completions& completions, double threshold);

/// Returns the off-policy mask [G, 1]: 1 for completions with A >= 0 and for those that are still close to the policy
/// that sampled them, mean over tokens of (log pi_old - log pi) <= threshold; otherwise 0. ([G, T] with an advantage
/// per token.)
at::Tensor off_policy_mask(const Completions& completions, double threshold);

/// Settings of truncated importance sampling, which corrects for a sampler with log-probs that differ from the
/// trainer's (another engine, rounded weights). Not needed with the exact engine, where all weights are 1.
struct Correction {
  bool sequence = false;    ///< true: one weight per completion, the product over its tokens; false: one per token
  bool drop = false;        ///< true: weights outside [min, max] become 0; false: they are clamped to that range
  double min = 0, max = 2;  ///< range of the weights
};
/// Returns importance weights pi_old / pi_sampler, without gradient: [G, T], or [G, 1] if `settings.sequence`.
/// Completions::old_log_prob is the trainer's log pi_old; `sampler_log_prob` [G, T] is that of the sampler.
at::Tensor correction(const Completions& completions, const at::Tensor& sampler_log_prob, const Correction& settings);

/// Returns the coefficient of the entropy bonus for the next step: `bonus` increased by `control.step` if `entropy`
/// (mean entropy of the tokens of the last step, in nats) is below `control.target`, otherwise decreased by it; within
/// [0, control.max].
double next_entropy_bonus(double bonus, double entropy, const EntropyControl& control);

}  // namespace compeer::grpo
