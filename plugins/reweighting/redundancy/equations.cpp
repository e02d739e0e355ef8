// Eq. 5-7 of the paper.
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "reweighting/redundancy/equations.h"

namespace compeer::redundancy {

namespace {

// Differs from the paper: in signed mode a negative reward is multiplied.
Reweighted by(double divisor, double reward, Mode mode) {
  const bool multiply = mode == Mode::signed_ && reward < 0.0;
  return {multiply ? reward * divisor : reward / divisor, divisor};
}

}  // namespace

double tau(double alpha, double beta, double length) { return 1.0 / (1.0 + std::exp(-alpha * (length - beta))); }

Reweighted reweight(double reward, double s_in, double s_hi, double tau, Mode mode) {
  const double in = 1.0 + tau * s_in, history = 1.0 + tau * s_hi;
  if (!(in > 0.0) || !(history > 0.0)) {
    throw std::domain_error(
        "both factors of the divisor (1 + tau s_in) (1 + tau s_hi) in Eq. 5 must be above 0: tau = " +
        std::to_string(tau) + ", s_in = " + std::to_string(s_in) + ", s_hi = " + std::to_string(s_hi) +
        "; set clamp_negative = true");
  }
  return by(in * history, reward, mode);
}

Reweighted without_bonus(double reward, const Reweighted& own, double mean_divisor, Mode mode) {
  const auto usual = by(mean_divisor, reward, mode);
  return own.reward > usual.reward ? usual : own;
}

double in_group(const double* row, size_t i, size_t G) {
  if (G <= 1) return 0.0;
  double sum = 0.0;
  for (size_t j = 0; j < G; ++j) sum += j == i ? 0.0 : row[j];
  return sum / static_cast<double>(G - 1);
}

double in_history(const double* row, size_t H) {
  return H == 0 ? 0.0 : std::accumulate(row, row + H, 0.0) / static_cast<double>(H);
}

}  // namespace compeer::redundancy
