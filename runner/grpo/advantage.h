#pragma once
#include <ATen/core/Tensor.h>

#include <string>

namespace compeer::grpo {

/// What the centred rewards of a group are divided by.
enum class Divisor {
  std,    ///< the group's own standard deviation (n - 1) plus epsilon: Eq. 3
  fixed,  ///< a constant: keeps groups of nearly equal rewards from counting as much as others
  none,   ///< nothing (Dr. GRPO)
};
Divisor divisor_from(const std::string& name);

/// Group advantage, Eq. 3:  A_i = (r_i - mean(r)) / divisor  over the G completions of one prompt.
/// A group of equal rewards gets zeros. rewards float64 [prompts, G] -> float64 [prompts, G].
at::Tensor group_advantage(const at::Tensor& rewards, Divisor divisor = Divisor::std, double value = 1.0,
                           double epsilon = 1e-6);

/// Groups whose rewards are all equal: no gradient comes from them. rewards [prompts, G] -> bool [prompts].
at::Tensor zero_variance(const at::Tensor& rewards);

}  // namespace compeer::grpo
