#include "grpo/shaping.h"

#include <algorithm>
#include <cmath>

namespace compeer::grpo {

double shaped(double reward, bool finished, const Shaping& shaping) {
  if (std::isnan(reward)) return reward;
  const double cut = std::clamp(reward, shaping.floor, shaping.ceiling);
  return finished ? cut : shaping.cut_off * cut;
}

}  // namespace compeer::grpo
