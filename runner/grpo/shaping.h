#pragma once
#include <cstdint>
#include <limits>
#include <optional>

// Transformations of a single reward before rewards are weighted and added: bounds, and rules about the length of a
// completion.

namespace compeer::grpo {

/// Cosine length reward for a reward that means right or wrong: prefers short completions among the right ones and long
/// completions among the wrong ones. Right: falls from `best` at length 0 to `good` at length `max_length` along half a
/// cosine; wrong: the negative of this.
struct CosineLength {
  int64_t max_length;             ///< the reward is constant from this length on, in tokens
  double right_above;             ///< rewards above this value mean right
  double best = 1.0, good = 0.5;  ///< shaped rewards of right completions at lengths 0 and `max_length`
};
/// Returns the shaped reward of a completion of `tokens` tokens; `reward` only decides whether it is right.
double cosine_length(double reward, int64_t tokens, const CosineLength& rule);

/// Transformation of a reward before it is weighted.
struct Shaping {
  double floor = -std::numeric_limits<double>::infinity();   ///< lower bound
  double ceiling = std::numeric_limits<double>::infinity();  ///< upper bound
  double truncated_factor = 1.0;                             ///< factor for completions truncated at the length limit
  std::optional<CosineLength> cosine = std::nullopt;         ///< length reward that replaces the reward
};
/// Applies `shaping` to the reward of a completion of `tokens` tokens, in this order: cosine length reward, bounds,
/// and, unless `finished`, the factor for truncated completions. `finished`: the completion was not cut off at the
/// length limit. NaN (no reward) is returned unchanged.
double shaped(double reward, int64_t tokens, bool finished, const Shaping& shaping);

}  // namespace compeer::grpo
