#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace compeer::statistics {

struct Resampling {
  size_t resamples = 1000;
  uint64_t seed = 1;
  double share = 0.95;  ///< of the resamples that the interval holds
};

/// A figure with its percentile interval; NaN where there is none.
struct BootstrapInterval {
  double value, low, high;
};

/// A figure of a sample.
using Statistic = std::function<double(std::span<const size_t> rows)>;

/// The figure of rows 0 ... n - 1, and how it varies when n rows are drawn from them with replacement. Resamples whose
/// figure is NaN are left out. Pass what belongs together (all judgements of a dialogue) as one row.
BootstrapInterval bootstrap(size_t n, const Statistic& figure, const Resampling& how = {});

}  // namespace compeer::statistics
