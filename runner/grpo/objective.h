#pragma once
#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace compeer::grpo {

/// How the losses of tokens become one number: the weight of each token.
enum class Aggregation {
  grpo,     ///< mean over completions of their token means
  bnpo,     ///< mean over all tokens of the step
  dr_grpo,  ///< sum over tokens / (completions x longest length allowed)
};
Aggregation aggregation_from(const std::string& name);

/// What a weight needs to know of the whole step, over all ranks.
struct StepSize {
  int64_t completions = 0, tokens = 0, max_new_tokens = 0;
};
double token_weight(Aggregation aggregation, int64_t length, const StepSize& step);

/// One group's completions, their tokens one after another.
struct Tokens {
  at::Tensor log_prob;      ///< [tokens], of the current policy, with gradient
  at::Tensor old_log_prob;  ///< [tokens], of the policy that sampled them
  std::vector<int64_t> lengths;
};

struct Clip {
  double low = 0.2, high = 0.2;  ///< epsilon in Eq. 2
  bool sequence = false;         ///< one ratio for a completion: exp of the mean log-ratio (Eq. 2 as printed; GSPO)
};

/// Eq. 2 for one group:  - sum over tokens of weight * min(ratio A, clip(ratio, 1 - low, 1 + high) A)
/// with ratio = exp(log_prob - old_log_prob). advantages and weights: one for each completion. Groups add up to the
/// loss of the step.
struct Loss {
  at::Tensor value;           ///< scalar, with gradient
  double clipped = 0;         ///< tokens whose ratio was cut
  double ratio_distance = 0;  ///< largest |ratio - 1|; exactly 0 at the first update
};
Loss policy_loss(const Tokens& tokens, const std::vector<double>& advantages, const std::vector<double>& weights,
                 const Clip& clip);

}  // namespace compeer::grpo
