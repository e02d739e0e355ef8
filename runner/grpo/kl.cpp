#include "grpo/kl.h"

#include <ATen/ATen.h>

#include "grpo/functions.h"

namespace compeer::grpo {

Estimator estimator_from(const std::string& name) {
  TORCH_CHECK(name == "k1" || name == "k2" || name == "k3", "unknown KL estimator '", name, "'");
  return name == "k1" ? Estimator::k1 : name == "k2" ? Estimator::k2 : Estimator::k3;
}

at::Tensor kl(const at::Tensor& log_prob, const at::Tensor& reference, Estimator estimator, KlLimits limits) {
  const auto d = (log_prob - reference).clamp(-limits.difference, limits.difference);
  const auto estimate = estimator == Estimator::k1   ? d
                        : estimator == Estimator::k2 ? d.square() / 2
                                                     : exact_exp(-d) + d - 1;
  return estimate.clamp(-limits.estimate, limits.estimate);
}

}  // namespace compeer::grpo
