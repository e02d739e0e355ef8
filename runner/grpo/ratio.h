#pragma once
#include <string>

#include "grpo/completions.h"

namespace compeer::grpo {

/// What an importance ratio belongs to.
enum class Level {
  token,             ///< r_t = pi(t) / pi_old(t), one for each token: [G, T]
  sequence,          ///< r = exp(mean over tokens of log r_t), one for each completion: [G, 1] (GSPO)
  sequence_product,  ///< r = product over tokens of r_t = pi(o) / pi_old(o): [G, 1]. Eq. 2 as printed
};
Level level_from(const std::string& name);

/// The logarithm of a product of ratios is kept within +-this: exp(20) is 5e8, far outside of any clip.
inline constexpr double kMostLogProduct = 20.0;

/// The ratio of the policy to the one that sampled, with gradient. Exactly 1 at the first update after a rollout. A
/// product is summed up as logarithms and stays a finite number: beyond the limit above it no longer moves, so that it
/// has no gradient there.
at::Tensor ratio(const Completions& completions, Level level);

}  // namespace compeer::grpo
