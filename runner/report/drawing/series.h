#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace compeer::report {

/// One line of a plot: x grows, y may hold NaN (no value at that step).
struct Curve {
  std::vector<double> x, y;
};

/// Rows that a smoothed line averages over, centred: 5 % of the rows, odd, at least 5; 1 (no smoothing) below 20 rows.
size_t smoothing_window(size_t rows);

/// Mean over a centred window; near the ends, over the part of it that exists. NaN values are left out; a window with
/// none but NaN gives NaN.
std::vector<double> smooth(const std::vector<double>& values, size_t window);

/// At most about 2 * `buckets` points that show what all points would: x is cut into equal buckets, and a bucket of
/// more than two values keeps its lowest and its highest, in the order in which they came. Curves of no more than
/// 2 * `buckets` points come back unchanged, less their NaN values.
Curve thin_extremes(const Curve& curve, size_t buckets);

/// At most `buckets` points: the mean x and the mean y of each bucket. For lines that are smooth already.
Curve thin_mean(const Curve& curve, size_t buckets);

/// Mean, lowest and highest of several curves at every step that any of them has.
struct CurveSpread {
  std::vector<double> x, mean, low, high;
};
CurveSpread across(const std::vector<Curve>& curves);

/// Value below which `share` of the finite values lie; NaN if there are none.
double quantile(std::vector<double> values, double share);

}  // namespace compeer::report
