#pragma once
#include <cmath>
#include <numeric>
#include <span>

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

}  // namespace compeer::statistics
