#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

/// The one place where intervals of means are computed; `bootstrap.h` has those of other figures.
///
/// An interval needs independent values: means of several seeds, of prompts, of dialogues. The rows of a training run
/// are none, since each step's policy is the one before with a small change; their mean has no interval.

namespace compeer::statistics {

/// NaN of none.
inline double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The standard deviation, with n - 1; 0 of one value, NaN of none.
inline double deviation(std::span<const double> values) {
  if (values.size() == 1) return 0;
  const double middle = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - middle) * (value - middle);
  return values.empty() ? middle : std::sqrt(squares / static_cast<double>(values.size() - 1));
}

/// A mean, or another figure, with its 95 % interval. `low` and `high` are NaN where there is none: of a single value,
/// and of values that are not independent.
struct Interval {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  double mean = unknown, low = unknown, high = unknown;
  int64_t n = 0;  ///< values; 0: not told

  bool known() const { return std::isfinite(mean); }
  /// A single value has none, whatever `low` and `high` say: files of earlier versions repeat the value there.
  bool has_interval() const { return n != 1 && known() && std::isfinite(low) && std::isfinite(high); }
  /// Of a difference: the interval leaves zero out.
  bool clear() const { return has_interval() && (low > 0 || high < 0); }
};

/// Student's t over independent values. Values that are not finite are left out; fewer than two have no interval.
/// Paired differences (seed by seed, prompt by prompt) are such values, too.
Interval mean_interval(std::span<const double> values);
inline Interval mean_interval(const std::vector<double>& values) { return mean_interval(std::span(values)); }

/// The same mean where values of one cluster, such as replies in one dialogue, depend on each other: `clusters` says
/// which each value belongs to. The interval is that of the clusters' sums (the sandwich estimator with a factor
/// of c / (c - 1), Student's t with c - 1 degrees of freedom for c clusters); with one value in each it is the one
/// above.
Interval mean_interval(std::span<const double> values, std::span<const uint64_t> clusters);

/// a - b of two independent means. The interval keeps the distances of the two (Zou and Donner 2008), so that it is
/// right for lopsided intervals too:  low = d - sqrt((a - a.low)^2 + (b.high - b)^2),  high likewise.
Interval independent_difference(const Interval& a, const Interval& b);

/// 97.5 % quantile of Student's t; NaN for no degree of freedom.
double t_quantile(size_t degrees_of_freedom);

/// How likely a t at least this far from 0 is, on either side.
double t_tails(double t, size_t degrees_of_freedom);

/// Student's test of paired differences, or of other independent values: how likely a mean at least this far from 0 is
/// if there is none. NaN for fewer than two finite values.
double t_test(std::span<const double> values);

/// Holm's correction for several tests: p-values that may each be held against .05, and the chance that any of them is
/// below it without a cause stays below .05. NaN stays NaN and doesn't count.
std::vector<double> holm(std::span<const double> p_values);

}  // namespace compeer::statistics
