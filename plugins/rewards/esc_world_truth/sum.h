#pragma once
#include <optional>

#include "datasets/esc_world/world/truth.h"

namespace compeer::esc_world {

// The reward plugin `esc_world_truth`: scores completions for dialogues of a generated world by their true quality,
// which is known (Verdict). A completion consists of three reasoning steps and a reply, in a format with tags.

/// Settings of the reward: weights of the parts of a verdict, and how the reply is scored.
struct TruthWeights {
  double step = 1;    ///< weight of each of the three steps
  double reply = 1;   ///< weight of the reply
  double format = 1;  ///< weight of the format
  /// Score of the reply: from its true quality, from its quality as the seeker perceives it, or from a comparison with
  /// the reference reply.
  enum class Grade {
    quality,    ///< 2 * Verdict::quality - 1
    felt,       ///< 2 * Verdict::felt - 1
    preference  ///< 1: at least as good as the reference, -1: worse
  } grade = Grade::quality;
  double tie = 0.07;  ///< preference: a reply is as good if its quality is at most this much lower
  /// Reward of a completion that is not in the format; nullopt: the minimum of the sum.
  std::optional<double> broken_format;
  bool demands_format = true;  ///< false: a completion that is not in the format gets the sum of its parts instead
};

/// Returns the reward, in the same form as that of the reward `unifireward`: three steps (+-1 each), reply (from -1 to
/// 1) and format (+-1), each times its weight. `verdict`: the true quality of the completion; `reference_quality`:
/// quality of the reference reply, in [0, 1]. If `demands_format`, a completion that is not in the format gets
/// `broken_format` or the minimum; otherwise breaking the format would pay for completions with wrong steps and a bad
/// reply.
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
