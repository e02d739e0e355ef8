#pragma once
#include <span>

namespace compeer::statistics {

/// Of pairs x[i], y[i], all finite; x and y equally long. From -1 to 1; NaN if there are fewer than two pairs or one
/// side never varies.

double pearson(std::span<const double> x, std::span<const double> y);

/// Pearson's of the ranks; values that tie share the mean of their ranks.
double spearman(std::span<const double> x, std::span<const double> y);

/// Kendall's tau-b, which allows for ties. Compares all pairs: meant for up to some ten thousand values.
double kendall(std::span<const double> x, std::span<const double> y);

}  // namespace compeer::statistics
