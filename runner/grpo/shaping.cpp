// Shaping of single rewards before they are weighted and summed.
#include "grpo/shaping.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace compeer::grpo {

double cosine_length(double reward, int64_t tokens, const CosineLength& rule) {
  const double way = static_cast<double>(std::min(tokens, rule.max_length)) / static_cast<double>(rule.max_length);
  const double size = rule.good + 0.5 * (rule.best - rule.good) * (1.0 + std::cos(way * std::numbers::pi));
  return reward > rule.right_above ? size : -size;
}

double shaped(double reward, int64_t tokens, bool finished, const Shaping& shaping) {
  if (std::isnan(reward)) return reward;
  const double own = shaping.cosine ? cosine_length(reward, tokens, *shaping.cosine) : reward;
  const double cut = std::clamp(own, shaping.floor, shaping.ceiling);
  return finished ? cut : shaping.truncated_factor * cut;
}

}  // namespace compeer::grpo
