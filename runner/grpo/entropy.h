#pragma once
#include "grpo/completions.h"

namespace compeer::grpo {

/// Keeps the entropy from falling: the factor of the entropy bonus rises by `step` after each rollout whose mean
/// entropy is below `target`, and falls by it after each other, within [0, most].
struct EntropyControl {
  double target, step, most;
};
double next_bonus(double bonus, double entropy, const EntropyControl& control);

/// What the sampled tokens say of the entropy of the policy as it is now: -mean(pi / pi_sampler * log pi) over tokens.
/// Trainers that keep no entropies log this one; ours logs the exact entropy.
double estimated_entropy(const Completions& completions, const at::Tensor& sampler_log_prob);

}  // namespace compeer::grpo
