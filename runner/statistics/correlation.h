#pragma once
#include <span>

namespace compeer::statistics {

// Correlations of pairs (x[i], y[i]), in [-1, 1]. x and y must have the same length, and values must be finite. NaN if
// there are fewer than two pairs, or if x or y is constant.

/// Returns Pearson's r.
double pearson(std::span<const double> x, std::span<const double> y);

/// Returns Spearman's rho: Pearson's r of the ranks. Ties get the mean of their ranks.
double spearman(std::span<const double> x, std::span<const double> y);

/// Returns Kendall's tau-b, which corrects for ties. O(n^2): for up to some ten thousand values.
double kendall(std::span<const double> x, std::span<const double> y);

}  // namespace compeer::statistics
