#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace compeer::statistics {

/// Settings of a bootstrap.
struct Resampling {
  size_t resamples = 1000;   ///< number of resamples
  uint64_t seed = 1;         ///< key of the random numbers; the same seed gives the same interval
  double confidence = 0.95;  ///< confidence level: fraction of the resamples inside the interval
};

/// A statistic with a confidence interval. `low` and `high` are NaN if there is none.
struct BootstrapInterval {
  double value, low, high;
};

/// Computes a statistic of a sample, given as row indices, which may repeat.
using Statistic = std::function<double(std::span<const size_t> rows)>;

/// Returns `statistic` of rows 0 ... n - 1 with its percentile bootstrap interval: n rows are drawn with replacement
/// `resamples` times. Resamples with a statistic of NaN are ignored; no interval if fewer than two are left.
/// Dependent observations, such as all ratings of a dialogue, must form one row.
BootstrapInterval bootstrap(size_t n, const Statistic& statistic, const Resampling& resampling = {});

}  // namespace compeer::statistics
