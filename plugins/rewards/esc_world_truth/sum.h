#pragma once
#include <optional>

#include "datasets/esc_world/world/truth.h"

namespace compeer::esc_world {

/// Weights of the parts of a verdict, and how the reply is scored.
struct TruthWeights {
  double step = 1, reply = 1, format = 1;
  /// Score of the reply: from its quality, from its quality as the seeker perceives it, or from a comparison with the
  /// reference.
  enum class Grade { quality, felt, preference } grade = Grade::quality;
  double tie = 0.07;  ///< preference: how much lower the quality may be than the reference's to count as equally good
  /// Reward of a completion that is not in the format; unset: the minimum of the sum.
  std::optional<double> broken_format;
  bool demands_format = true;  ///< false: such a completion gets the sum of what it contains
};

/// Returns the reward, of the same form as UnifiReward's: three steps (+-1 each), reply (from -1 to 1; +-1 for
/// preference) and format (+-1), each times its weight. A completion that is not in the format gets `broken_format` or
/// the minimum; otherwise breaking the format would pay for completions with wrong steps and a bad reply.
inline double sum(const Verdict& verdict, double reference_quality, const TruthWeights& weights) {
  const auto sign = [](bool yes) { return yes ? 1.0 : -1.0; };
  if (!verdict.format && weights.demands_format)
    return weights.broken_format.value_or(-(3 * weights.step + weights.reply + weights.format));
  using enum TruthWeights::Grade;
  const double reply = weights.grade == preference
                           ? sign(verdict.grammatical && verdict.quality >= reference_quality - weights.tie)
                           : 2 * (weights.grade == felt ? verdict.felt : verdict.quality) - 1;
  return weights.step * (sign(verdict.history) + sign(verdict.emotion) + sign(verdict.strategy)) +
         weights.reply * reply + weights.format * sign(verdict.format);
}

}  // namespace compeer::esc_world
