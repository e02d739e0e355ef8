#pragma once
#include <string>

#include "grpo/completions.h"

namespace compeer::grpo {

/// What an importance ratio belongs to.
enum class Level {
  token,     ///< r_t = pi(t) / pi_old(t), one for each token: [G, T]
  sequence,  ///< r = exp(mean over tokens of log r_t), one for each completion: [G, 1]. Eq. 2 as printed, and GSPO
};
Level level_from(const std::string& name);

/// The ratio of the policy to the one that sampled, with gradient. Exactly 1 at the first update after a rollout.
at::Tensor ratio(const Completions& completions, Level level);

}  // namespace compeer::grpo
