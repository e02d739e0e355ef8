#pragma once
#include <cstdint>
#include <limits>
#include <optional>

namespace compeer::grpo {

/// A reward that says right or wrong, made to prefer short completions that are right and long ones that are wrong:
/// right goes from `best` at length 0 to `good` at `most`, wrong from -best to -good, along half a cosine.
struct CosineLength {
  int64_t most;        ///< tokens; longer completions count as this long
  double right_above;  ///< rewards above it say right
  double best = 1.0, good = 0.5;
};
double cosine_length(double reward, int64_t tokens, const CosineLength& rule);

/// What becomes of a reward before it is weighted: replaced by a cosine of the length, cut to a range, then, if its
/// completion was cut off at the length limit, multiplied. NaN, no opinion, stays.
struct Shaping {
  double floor = -std::numeric_limits<double>::infinity();
  double ceiling = std::numeric_limits<double>::infinity();
  double cut_off = 1.0;
  std::optional<CosineLength> cosine = std::nullopt;
};
double shaped(double reward, int64_t tokens, bool finished, const Shaping& shaping);

}  // namespace compeer::grpo
