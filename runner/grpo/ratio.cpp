#include "grpo/ratio.h"

#include <ATen/ATen.h>

#include "grpo/functions.h"

namespace compeer::grpo {

Level level_from(const std::string& name) {
  if (name == "token") return Level::token;
  if (name == "sequence") return Level::sequence;
  TORCH_CHECK(name == "sequence_product", "unknown level '", name, "'");
  return Level::sequence_product;
}

at::Tensor ratio(const Completions& c, Level level) {
  const auto log_ratio = c.log_prob - c.old_log_prob;
  switch (level) {
    case Level::token:
      return exact_exp(log_ratio.masked_fill(c.mask.eq(0), 0.0));
    case Level::sequence:
      return exact_exp(row_mean(log_ratio, c.mask));
    case Level::sequence_product:
      return exact_exp(row_sum(log_ratio, c.mask).clamp(-kMostLogProduct, kMostLogProduct));
  }
  TORCH_CHECK(false, "no such level");
}

}  // namespace compeer::grpo
