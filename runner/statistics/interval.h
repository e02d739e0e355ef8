#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

/// Confidence intervals and tests of means. All intervals of means are computed here; `bootstrap.h` has intervals of
/// other statistics.
///
/// An interval needs independent values: means per seed, prompt or dialogue. The steps of a training run are not
/// independent, since each policy is a small change of the one before; their mean has no interval.

namespace compeer::statistics {

/// Returns the mean; NaN if `values` is empty.
inline double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Returns the sample standard deviation (divisor n - 1); 0 for one value, NaN for none.
inline double sample_std(std::span<const double> values) {
  if (values.size() == 1) return 0;
  const double middle = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - middle) * (value - middle);
  return values.empty() ? middle : std::sqrt(squares / static_cast<double>(values.size() - 1));
}

/// A mean, or another statistic, with its 95 % confidence interval [low, high]. `low` and `high` are NaN if there is no
/// interval: for a single value, and for values that are not independent.
struct Interval {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  double mean = unknown, low = unknown, high = unknown;
  int64_t n = 0;  ///< number of values; 0: unknown

  /// True if there is a mean.
  bool known() const { return std::isfinite(mean); }
  /// False for n = 1 whatever `low` and `high` are: files of earlier versions repeat the value there.
  bool has_interval() const { return n != 1 && known() && std::isfinite(low) && std::isfinite(high); }
  /// For a difference: true if the interval excludes 0.
  bool excludes_zero() const { return has_interval() && (low > 0 || high < 0); }
};

/// Returns the mean of independent values, such as paired differences (by seed, by prompt), with Student's t interval.
/// Ignores values that are not finite. No interval for fewer than two.
Interval mean_interval(std::span<const double> values);
inline Interval mean_interval(const std::vector<double>& values) { return mean_interval(std::span(values)); }

/// Returns the same mean with a cluster-robust interval, for values that depend on each other within a cluster, such as
/// replies in one dialogue. `clusters[i]` is any number that identifies the cluster of `values[i]`. Sandwich estimator
/// over cluster sums with the factor c / (c - 1), Student's t with c - 1 degrees of freedom for c clusters. Equals the
/// interval for independent values if every cluster has one value; no interval for fewer than two clusters.
Interval mean_interval(std::span<const double> values, std::span<const uint64_t> clusters);

/// Returns a - b of two independent means, with the interval of Zou and Donner (2008), which is valid for asymmetric
/// intervals:  low = d - sqrt((a - a.low)^2 + (b.high - b)^2),  high = d + sqrt((a.high - a)^2 + (b - b.low)^2).
/// `n` is the smaller one. No interval if a or b has none.
Interval independent_difference(const Interval& a, const Interval& b);

/// Returns the 97.5 % quantile of Student's t distribution, for two-sided 95 % intervals; NaN for 0 degrees of freedom.
double t_quantile(size_t degrees_of_freedom);

/// Returns the two-sided p-value of a value `t` of Student's t distribution; NaN for 0 degrees of freedom or if t is
/// NaN.
double t_two_sided_p(double t, size_t degrees_of_freedom);

/// Returns the two-sided p-value of Student's t-test that the mean of independent values, such as paired differences,
/// is 0. NaN for fewer than two finite values.
double t_test(std::span<const double> values);

/// Returns Holm-adjusted p-values, in the order of `p_values`, the p-values of a family of tests: rejecting those below
/// 0.05 keeps the family-wise error rate below 0.05. NaN stays NaN and is not counted as a test.
std::vector<double> holm(std::span<const double> p_values);

}  // namespace compeer::statistics
