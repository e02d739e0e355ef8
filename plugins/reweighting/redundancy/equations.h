#pragma once
#include <cstddef>

namespace compeer::redundancy {

/// Returns the length coefficient, Eq. (7): tau = 1 / (1 + exp(-alpha (L - beta))), with L = `length`, the average
/// length of the group's completions. Near 0 for short completions, near 1 for long ones.
double tau(double alpha, double beta, double length);

/// How negative rewards are reweighted. `paper` divides them too, which moves them towards 0; `signed_` multiplies
/// them, so that redundancy never increases a reward.
enum class Mode { paper, signed_ };

/// A reweighted reward and its divisor (1 + tau s_in) (1 + tau s_hi).
struct Reweighted {
  double reward, divisor;
};

/// Returns r~ = r / ((1 + tau s_in) (1 + tau s_hi)), Eq. (5). Throws std::domain_error unless both factors are > 0.
Reweighted reweight(double reward, double s_in, double s_hi, double tau, Mode mode);

/// Not in the paper: denies a completion with a very unlikely token the bonus for being different. Returns the smaller
/// of `own`, its result of Eq. (5), and the result with the group's mean divisor.
Reweighted without_bonus(double reward, const Reweighted& own, double mean_divisor, Mode mode);

/// Upper line of Eq. (6): returns s_in = sum over j != i of cosines[i][j] / (G - 1); 0 if G = 1. `row` is row i of the
/// G x G matrix.
double in_group(const double* row, std::size_t i, std::size_t G);

/// Lower line of Eq. (6): returns s_hi, the mean cosine to the H utterances of the history; 0 if there are none.
double in_history(const double* row, std::size_t H);

}  // namespace compeer::redundancy
