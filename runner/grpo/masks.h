#pragma once
#include <vector>

#include "grpo/completions.h"

namespace compeer::grpo {

/// The entropy from which on a token belongs to the `share` of highest entropy, over all tokens of the step: the
/// (1 - share) quantile, interpolated linearly between neighbours.
double entropy_threshold(std::vector<double> entropies, double share);

/// Tokens whose entropy, when they were drawn, is at or above it: [G, T] of 0 and 1, like the mask.
at::Tensor high_entropy(const Completions& completions, double threshold);

/// Completions that still teach: those with A >= 0, and those whose policy has not moved far from the one that sampled
/// them, mean over tokens of (log pi_old - log pi) <= threshold. [G, 1] of 0 and 1.
at::Tensor near_policy(const Completions& completions, double threshold);

}  // namespace compeer::grpo
