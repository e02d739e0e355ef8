#include "grpo/ratio.h"

#include <ATen/ATen.h>

namespace compeer::grpo {

Level level_from(const std::string& name) {
  TORCH_CHECK(name == "token" || name == "sequence", "unknown level '", name, "'");
  return name == "token" ? Level::token : Level::sequence;
}

at::Tensor ratio(const Completions& c, Level level) {
  const auto log_ratio = c.log_prob - c.old_log_prob;
  return level == Level::token ? log_ratio.masked_fill(c.mask.eq(0), 0.0).exp() : row_mean(log_ratio, c.mask).exp();
}

}  // namespace compeer::grpo
