#pragma once
#include <cstdint>
#include <span>

namespace compeer::rollout {

/// Where to cut weights so that the smallest set of the largest that weighs at least `target` is left.
struct Cut {
  float least = 0;   ///< weights above it are in the set
  int64_t ties = 0;  ///< of the weights equal to it, so many
};

/// Weights are at least 0 and finite. Nothing is sorted: weights are counted into buckets by their leading bits, and
/// only the bucket in which the sum passes `target` is looked at more closely. Sums are in double precision, in order.
Cut nucleus(std::span<const float> weights, double target);

}  // namespace compeer::rollout
