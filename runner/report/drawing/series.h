#pragma once
#include <cstddef>
#include <string>
#include <vector>

/// Smoothing, thinning and aggregation of curves before they are drawn.
namespace compeer::report {

/// A series of points, [point]: x ascending; y may be NaN (no value at this x). x is usually the training step.
struct Curve {
  std::vector<double> x, y;
};

/// Returns the window for smooth() of a curve with this number of rows: 5 % of the rows, odd, at least 5; 1 (no
/// smoothing) below 20 rows.
size_t smoothing_window(size_t rows);

/// Returns the moving mean of `values`: for each value the mean over `window` values around it, fewer at the ends. NaN
/// values are ignored; a window of only NaN gives NaN.
std::vector<double> smooth(const std::vector<double>& values, size_t window);

/// Thins a curve to about 2 * `buckets` points while keeping its extremes: x is divided into equal buckets, and each
/// bucket keeps its lowest and highest value, in their order. NaN values are dropped; curves of at most 2 * `buckets`
/// points are otherwise unchanged.
Curve thin_extremes(const Curve& curve, size_t buckets);

/// Thins a curve to at most `buckets` points: the mean x and y of each bucket. For curves that are already smooth.
Curve thin_mean(const Curve& curve, size_t buckets);

/// Mean, lowest and highest value of several curves, or a mean with its interval, at each x: all [point], x ascending.
struct CurveSpread {
  std::vector<double> x, mean, low, high;
};
/// Returns mean, lowest and highest value of several curves at every x where any of them has a value.
CurveSpread across(const std::vector<Curve>& curves);

/// Returns the quantile `share`, 0 to 1, of the finite values (the nearest value, without interpolation); NaN if there
/// are none.
double quantile(std::vector<double> values, double share);

}  // namespace compeer::report
