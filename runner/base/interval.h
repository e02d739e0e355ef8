#pragma once
#include <cstddef>
#include <limits>
#include <vector>

namespace compeer {

/// A mean with its 95 % interval (Student's t), for independent values such as those of several seeds.
struct Interval {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  double mean = unknown, low = unknown, high = unknown;
  size_t n = 0;
};

/// Values that are not finite are left out. Without an interval (NaN) for fewer than two.
Interval mean_interval(const std::vector<double>& values);

/// 97.5 % quantile of Student's t, to three digits; NaN for no degree of freedom.
double t_quantile(size_t degrees_of_freedom);

}  // namespace compeer
