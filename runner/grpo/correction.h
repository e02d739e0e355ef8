#pragma once
#include <string>

#include "grpo/completions.h"

namespace compeer::grpo {

/// Weights for tokens that were sampled by something that computes other log-probs than the trainer (another engine,
/// rounded weights): pi_old / pi_sampler, cut off. With the exact engine they are 1 and nothing is needed.
struct Correction {
  bool sequence = false;  ///< one weight for a completion, the product over its tokens: [G, 1]; else [G, T]
  bool drop = false;      ///< weights outside [floor, cap] become 0; else they are cut to it
  double floor = 0, cap = 2;
};
at::Tensor correction(const Completions& completions, const at::Tensor& sampler_log_prob, const Correction& settings);

}  // namespace compeer::grpo
