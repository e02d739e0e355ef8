#pragma once
#include <cstddef>

namespace compeer::redundancy {

// Redundancy-aware reward reweighting (Eq. 5 to 7 of the paper), the plugin `redundancy`. GRPO compares the G
// completions of a prompt, its group. The reward of a completion is reduced if it is similar to the others of its group
// (s_in) or to the utterances of the dialogue before it (s_hi), weighted by the length coefficient tau.

/// Returns the length coefficient, Eq. (7): tau = 1 / (1 + exp(-alpha (L - beta))), with L = `length`, the average
/// length of the group's completions. Near 0 for short completions, near 1 for long ones.
double tau(double alpha, double beta, double length);

/// Treatment of negative rewards.
enum class Mode {
  paper,   ///< they are divided like positive ones, which moves them towards 0
  signed_  ///< they are multiplied by the divisor, so that redundancy never increases a reward (not in the paper)
};

/// A reweighted reward.
struct Reweighted {
  double reward;   ///< the reweighted reward
  double divisor;  ///< (1 + tau s_in) (1 + tau s_hi)
};

/// Returns r~ = r / ((1 + tau s_in) (1 + tau s_hi)), Eq. (5), with r = `reward`. `s_in` and `s_hi`: mean cosine
/// similarity to the group and to the dialogue. Throws std::domain_error unless both factors of the divisor are > 0.
Reweighted reweight(double reward, double s_in, double s_hi, double tau, Mode mode);

/// Not in the paper: denies a completion with a very unlikely token the bonus for being different from its group.
/// `own`: its result of Eq. (5); `mean_divisor`: the mean divisor of the group. Returns `own`, or `reward` reweighted
/// by the mean divisor if that is smaller.
Reweighted without_bonus(double reward, const Reweighted& own, double mean_divisor, Mode mode);

/// Returns s_in of completion i, the upper line of Eq. (6): the mean cosine to the G - 1 other completions; 0 if G = 1.
/// `row`: its cosines to all G completions, including itself.
double in_group(const double* row, std::size_t i, std::size_t G);

/// Returns s_hi of a completion, the lower line of Eq. (6): the mean cosine to the H utterances of the dialogue before
/// it; 0 if H = 0. `row`: its cosines to these utterances.
double in_history(const double* row, std::size_t H);

}  // namespace compeer::redundancy
