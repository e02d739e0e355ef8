#pragma once
#include <cstddef>

namespace compeer::redundancy {

/// Length coefficient, Eq. (7):  tau = 1 / (1 + exp(-alpha (L - beta)))
/// L: the group's average length. Near 0 for short outputs, near 1 for long ones.
double tau(double alpha, double beta, double length);

/// What a negative reward turns into: `paper` divides it too, which moves it up towards 0; `signed` multiplies, so
/// that redundancy never pays.
enum class Mode { paper, signed_ };

struct Reweighted {
  double reward, divisor;
};

/// Eq. (5):  r~ = r / ((1 + tau s_in) (1 + tau s_hi)).  Throws std::domain_error unless both factors are above 0.
Reweighted reweight(double reward, double s_in, double s_hi, double tau, Mode mode);

/// Not in the paper: what is different by a slip gets no bonus for it. `own` is its reward by Eq. 5, but no more than
/// it would have with the mean divisor of its group.
Reweighted without_bonus(double reward, const Reweighted& own, double mean_divisor, Mode mode);

/// Upper line of Eq. (6):  s_in = sum over j != i of cosines[i][j] / (G - 1); 0 if G = 1. Row i of a G x G matrix.
double in_group(const double* row, std::size_t i, std::size_t G);

/// Lower line of Eq. (6):  s_hi = mean of the cosines to the |H| utterances of the history; 0 if there are none.
double in_history(const double* row, std::size_t H);

}  // namespace compeer::redundancy
