#include "grpo/correction.h"

#include <ATen/ATen.h>

#include "grpo/functions.h"

namespace compeer::grpo {

at::Tensor correction(const Completions& c, const at::Tensor& sampler_log_prob, const Correction& settings) {
  const auto difference = (c.old_log_prob - sampler_log_prob).detach().masked_fill(c.mask.eq(0), 0.0);
  const auto weight = exact_exp(settings.sequence ? difference.sum(1, true) : difference);
  if (!settings.drop) return weight.clamp(settings.floor, settings.cap);
  return weight.masked_fill(weight.lt(settings.floor).logical_or(weight.gt(settings.cap)), 0.0);
}

}  // namespace compeer::grpo
