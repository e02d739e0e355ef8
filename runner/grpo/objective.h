#pragma once
#include <optional>
#include <string>
#include <vector>

#include "grpo/completions.h"
#include "grpo/losses.h"
#include "grpo/settings.h"

namespace compeer::grpo {

/// How the losses of tokens become one number. What is shared by the whole step is counted over all its groups, ranks
/// and micro-batches, so a loss does not depend on how the step was cut up.
enum class Average {
  completion,  ///< mean over completions of their token means             (grpo, sapo, gspo)
  token,       ///< mean over all tokens of the step                       (bnpo, dapo, cispo, vespo, clip_cov, kl_cov)
  constant,    ///< sum over tokens / (completions x longest length allowed)  (dr_grpo)
  sum,         ///< mean over completions of their token sums              (luspo)
};

/// What an average needs to know of the whole step.
struct StepSize {
  double completions = 0;
  double tokens = 0;
  double max_new_tokens = 0;
};

/// The weight of each place that counts, 0 elsewhere: mask [G, T] -> [G, T]. The loss of a step is the sum over its
/// groups of (weights * losses). An empty completion counts as a completion; a divisor of 0 becomes 1.
at::Tensor weights(Average average, const at::Tensor& mask, const StepSize& step);

/// The names of losses, in the order of the documentation.
std::vector<std::string> loss_names();

/// What all groups of a step share.
struct StepContext {
  StepSize size;
  double entropy_threshold = 0;  ///< see the masks below
  double bonus_tokens = 0;       ///< tokens that the entropy bonus is a mean of
};

/// One group's part of the loss of the step: the parts of all groups add up to it.
struct GroupLoss {
  at::Tensor value;      ///< scalar, with gradient
  at::Tensor per_token;  ///< [G, T] or [G, 1]: masks and KL included, before any averaging
  at::Tensor ratio;      ///< [G, T] or [G, 1]
  at::Tensor kl;         ///< [G, T]; undefined without a KL term
};

/// `weight` (or undefined) multiplies the policy's part of the loss: see the corrections below. `order` is Clip-Cov's.
GroupLoss group_loss(const Completions& completions, const Objective& objective, const StepContext& step,
                     const at::Tensor& weight = {}, const at::Tensor& order = {});

/// How far the ratios of a group are cut: sums, so that groups add up.
struct Clipping {
  double places = 0;         ///< tokens, or completions if the ratio belongs to them
  double low = 0, high = 0;  ///< places past the lower end with A < 0, past the upper end with A > 0
  double furthest = 0;       ///< largest |ratio - 1|; exactly 0 at the first update (a maximum, not a sum)
};
Clipping clipping(const Completions& completions, const at::Tensor& ratio, const Objective& objective);

/// The entropy from which on a token belongs to the `share` of highest entropy, over all tokens of the step: the
/// (1 - share) quantile, interpolated linearly between neighbours.
double entropy_threshold(std::vector<double> entropies, double share);

/// Tokens whose entropy, when they were drawn, is at or above it: [G, T] of 0 and 1, like the mask.
at::Tensor high_entropy(const Completions& completions, double threshold);

/// Completions that still teach: those with A >= 0, and those whose policy has not moved far from the one that sampled
/// them, mean over tokens of (log pi_old - log pi) <= threshold. [G, 1] of 0 and 1.
at::Tensor near_policy(const Completions& completions, double threshold);

/// Weights for tokens that were sampled by something that computes other log-probs than the trainer (another engine,
/// rounded weights): pi_old / pi_sampler, cut off. With the exact engine they are 1 and nothing is needed.
struct Correction {
  bool sequence = false;  ///< one weight for a completion, the product over its tokens: [G, 1]; else [G, T]
  bool drop = false;      ///< weights outside [floor, cap] become 0; else they are cut to it
  double floor = 0, cap = 2;
};
at::Tensor correction(const Completions& completions, const at::Tensor& sampler_log_prob, const Correction& settings);

/// Returns the entropy bonus after a rollout of this mean entropy.
double next_bonus(double bonus, double entropy, const EntropyControl& control);

}  // namespace compeer::grpo
