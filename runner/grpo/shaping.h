#pragma once
#include <limits>

namespace compeer::grpo {

/// What becomes of a reward before it is weighted: cut to a range, then, if its completion was cut off at the length
/// limit, multiplied. NaN, no opinion, stays.
struct Shaping {
  double floor = -std::numeric_limits<double>::infinity();
  double ceiling = std::numeric_limits<double>::infinity();
  double cut_off = 1.0;
};
double shaped(double reward, bool finished, const Shaping& shaping);

}  // namespace compeer::grpo
