#pragma once

namespace compeer::grpo {

/// Keeps the entropy from falling: the factor of the entropy bonus rises by `step` after each rollout whose mean
/// entropy is below `target`, and falls by it after each other, within [0, most].
struct EntropyControl {
  double target, step, most;
};
double next_bonus(double bonus, double entropy, const EntropyControl& control);

}  // namespace compeer::grpo
