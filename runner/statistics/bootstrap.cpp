// Percentile bootstrap.
#include "statistics/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/random.h"

namespace compeer::statistics {

namespace {

// Linear interpolation between the two nearest of `sorted`.
double quantile(const std::vector<double>& sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

BootstrapInterval bootstrap(size_t n, const Statistic& statistic, const Resampling& resampling) {
  std::vector<size_t> rows(n);
  std::iota(rows.begin(), rows.end(), size_t{0});
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  BootstrapInterval result{statistic(rows), unknown, unknown};
  std::vector<double> values;
  for (size_t r = 0; r < resampling.resamples && n > 0; ++r) {
    for (size_t i = 0; i < n; ++i)
      rows[i] = below(n, resampling.seed, Stream::bootstrap, static_cast<uint32_t>(r), static_cast<uint32_t>(i));
    const double value = statistic(rows);
    if (!std::isnan(value)) values.push_back(value);
  }
  if (values.size() < 2) return result;
  std::sort(values.begin(), values.end());
  result.low = quantile(values, (1 - resampling.confidence) / 2);
  result.high = quantile(values, (1 + resampling.confidence) / 2);
  return result;
}

}  // namespace compeer::statistics
