#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace compeer::report {

/// A series of points: x ascending; y may be NaN (no value at this step).
struct Curve {
  std::vector<double> x, y;
};

/// Returns the number of rows to average over: 5 % of the rows, odd, at least 5; 1 (no smoothing) below 20 rows.
size_t smoothing_window(size_t rows);

/// Returns the mean over a centred window, truncated at the ends. NaN values are ignored; a window of only NaN gives
/// NaN.
std::vector<double> smooth(const std::vector<double>& values, size_t window);

/// Thins a curve to about 2 * `buckets` points while keeping its extremes: x is divided into equal buckets, each of
/// which keeps its lowest and highest value, in their order. NaN values are dropped; curves of at most 2 * `buckets`
/// points are otherwise unchanged.
Curve thin_extremes(const Curve& curve, size_t buckets);

/// Thins a curve to at most `buckets` points: the mean x and y of each bucket. For curves that are already smooth.
Curve thin_mean(const Curve& curve, size_t buckets);

/// Mean, lowest and highest value of several curves at every step that any of them has.
struct CurveSpread {
  std::vector<double> x, mean, low, high;
};
CurveSpread across(const std::vector<Curve>& curves);

/// Returns the quantile `share` of the finite values; NaN if there are none.
double quantile(std::vector<double> values, double share);

}  // namespace compeer::report
