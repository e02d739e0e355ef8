#pragma once
#include <optional>

#include "datasets/esc_world/world/truth.h"

namespace compeer::esc_world {

/// What each part of a verdict counts.
struct TruthWeights {
  double step = 1, reply = 1, format = 1;
  /// A reply is graded by its quality or as the seeker feels it, or compared with the reference.
  enum class Grade { quality, felt, preference } grade = Grade::quality;
  double tie = 0.07;  ///< how much lower its quality may be and still be as good as the reference
  std::optional<double> broken_format;
  bool demands_format = true;  ///< else any completion is judged by what there is of it
};

/// The reward in the shape of UnifiReward's: three steps (plus or minus one each) + reply (from -1 to 1) + format
/// (plus or minus one), each times its weight. A completion that is not in the format gets `broken_format`, or the
/// least there is: otherwise a completion with wrong steps and a bad reply could gain by breaking it.
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
