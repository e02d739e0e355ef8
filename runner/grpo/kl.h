#pragma once
#include <limits>
#include <string>

#include "grpo/completions.h"

namespace compeer::grpo {

/// Estimators of KL(policy || reference) from the sampled token alone, with d = log pi - log pi_ref:
///   k1 = d                   unbiased, of either sign
///   k2 = d^2 / 2             biased, its gradient is that of the KL
///   k3 = exp(-d) + d - 1     unbiased and never negative; its gradient as a loss is not that of the KL
enum class Estimator { k1, k2, k3 };
Estimator estimator_from(const std::string& name);

/// Limits that some trainers put on d and on the estimate; none by default. Beyond them the gradient is 0.
struct KlLimits {
  double difference = std::numeric_limits<double>::infinity();
  double estimate = std::numeric_limits<double>::infinity();
};

/// log_prob and reference of one shape -> the same shape, with gradient to log_prob.
at::Tensor kl(const at::Tensor& log_prob, const at::Tensor& reference, Estimator estimator, KlLimits limits = {});

}  // namespace compeer::grpo
