// Correlation coefficients.
#include "statistics/correlation.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "statistics/interval.h"

namespace compeer::statistics {

namespace {

double ratio(double part, double whole) { return whole > 0 ? part / whole : std::numeric_limits<double>::quiet_NaN(); }

std::vector<double> ranks(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (size_t i = begin; i < end; ++i) result[order[i]] = static_cast<double>(begin + end + 1) / 2;
  }
  return result;
}

int sign(double value) { return (value > 0) - (value < 0); }

}  // namespace

double pearson(std::span<const double> x, std::span<const double> y) {
  assert(x.size() == y.size());
  if (x.size() < 2) return ratio(0, 0);
  const double mean_x = mean(x), mean_y = mean(y);
  double xx = 0, yy = 0, xy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double dx = x[i] - mean_x, dy = y[i] - mean_y;
    xx += dx * dx, yy += dy * dy, xy += dx * dy;
  }
  return ratio(xy, std::sqrt(xx) * std::sqrt(yy));
}

double spearman(std::span<const double> x, std::span<const double> y) { return pearson(ranks(x), ranks(y)); }

double kendall(std::span<const double> x, std::span<const double> y) {
  assert(x.size() == y.size());
  double agree = 0, differ_x = 0, differ_y = 0;  // pairs
  for (size_t i = 0; i < x.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const int dx = sign(x[i] - x[j]), dy = sign(y[i] - y[j]);
      agree += dx * dy;
      differ_x += dx != 0;
      differ_y += dy != 0;
    }
  }
  return ratio(agree, std::sqrt(differ_x) * std::sqrt(differ_y));
}

}  // namespace compeer::statistics
