#include "grpo/masks.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace compeer::grpo {

double entropy_threshold(std::vector<double> entropies, double share) {
  TORCH_CHECK(share >= 0 && share <= 1, "a share of tokens lies in [0, 1]");
  if (entropies.empty()) return std::numeric_limits<double>::infinity();
  std::sort(entropies.begin(), entropies.end());
  const double place = (1.0 - share) * static_cast<double>(entropies.size() - 1);
  const auto below = static_cast<size_t>(std::floor(place));
  const auto above = std::min(below + 1, entropies.size() - 1);
  return entropies[below] + (place - std::floor(place)) * (entropies[above] - entropies[below]);
}

at::Tensor high_entropy(const Completions& c, double threshold) {
  const auto& entropy = c.sampled_entropy.defined() ? c.sampled_entropy : c.entropy;
  return entropy.detach().ge(threshold).to(c.mask.scalar_type()) * c.mask;
}

at::Tensor near_policy(const Completions& c, double threshold) {
  const auto moved = row_mean((c.old_log_prob - c.log_prob).detach(), c.mask);
  return c.advantage.ge(0).logical_or(moved.le(threshold)).to(c.mask.scalar_type());
}

}  // namespace compeer::grpo
