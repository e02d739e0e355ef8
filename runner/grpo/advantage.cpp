#include "grpo/advantage.h"

#include <ATen/ATen.h>

namespace compeer::grpo {

Divisor divisor_from(const std::string& name) {
  TORCH_CHECK(name == "std" || name == "fixed" || name == "none", "unknown divisor '", name, "'");
  return name == "std" ? Divisor::std : name == "fixed" ? Divisor::fixed : Divisor::none;
}

at::Tensor group_advantage(const at::Tensor& rewards, Divisor divisor, double value, double epsilon) {
  TORCH_CHECK(rewards.dim() == 2 && rewards.scalar_type() == at::kDouble, "rewards must be float64 [prompts, G]");
  const auto centred = rewards - rewards.mean(1, true);
  if (rewards.size(1) == 1 || divisor == Divisor::none)
    return centred.masked_fill(zero_variance(rewards).unsqueeze(1), 0.0);
  const auto scale = divisor == Divisor::fixed
                         ? at::full_like(rewards, value)
                         : (centred.square().sum(1, true) / static_cast<double>(rewards.size(1) - 1)).sqrt() + epsilon;
  return (centred / scale).masked_fill(zero_variance(rewards).unsqueeze(1), 0.0);
}

at::Tensor zero_variance(const at::Tensor& rewards) {
  return std::get<0>(rewards.max(1)).eq(std::get<0>(rewards.min(1)));
}

}  // namespace compeer::grpo
