#pragma once
#include <string>

#include "grpo/completions.h"

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

}  // namespace compeer::grpo
