#include "grpo/entropy.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace compeer::grpo {

double next_bonus(double bonus, double entropy, const EntropyControl& control) {
  return std::clamp(entropy < control.target ? bonus + control.step : bonus - control.step, 0.0, control.most);
}

double estimated_entropy(const Completions& c, const at::Tensor& sampler_log_prob) {
  const auto ratio = (c.log_prob - sampler_log_prob).detach().exp();
  return -row_sum(ratio * c.log_prob.detach(), c.mask).sum().item<double>() / c.mask.sum().item<double>();
}

}  // namespace compeer::grpo
