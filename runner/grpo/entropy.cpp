#include "grpo/entropy.h"

#include <algorithm>

namespace compeer::grpo {

double next_bonus(double bonus, double entropy, const EntropyControl& control) {
  return std::clamp(entropy < control.target ? bonus + control.step : bonus - control.step, 0.0, control.most);
}

}  // namespace compeer::grpo
