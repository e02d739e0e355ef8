// Student's t and the intervals and tests built on it.
#include "statistics/interval.h"

#include <algorithm>
#include <map>

namespace compeer::statistics {

namespace {

// The continued fraction of the incomplete beta function, by Lentz's method; it converges fast for
// x < (a + 1) / (a + b + 2).
double beta_fraction(double x, double a, double b) {
  constexpr double tiny = 1e-300, close = 1e-16;
  const auto away = [](double value) { return std::abs(value) < tiny ? tiny : value; };
  double c = 1, d = 1 / away(1 - (a + b) * x / (a + 1)), result = d;
  for (int m = 1; m < 10000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double change = 1;
    for (const double step : {even, odd}) {
      d = 1 / away(1 + step * d);
      c = away(1 + step / c);
      change = c * d;
      result *= change;
    }
    if (std::abs(change - 1) < close) break;
  }
  return result;
}

// I_x(a, b), the regularised incomplete beta function; `rest` is 1 - x.
double incomplete_beta(double x, double rest, double a, double b) {
  if (x <= 0) return 0;
  if (rest <= 0) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log(rest));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(x, a, b) / a;
  return 1 - front * beta_fraction(rest, b, a) / b;
}

struct Moments {
  double mean = Interval::unknown, error = Interval::unknown;  // error: standard error of the mean
  size_t n = 0;
};

Moments moments(std::span<const double> values) {
  Moments found;
  double sum = 0, squares = 0;
  for (const double value : values) {
    if (std::isfinite(value)) sum += value, ++found.n;
  }
  if (found.n == 0) return found;
  const auto n = static_cast<double>(found.n);
  found.mean = sum / n;
  if (found.n < 2) return found;
  for (const double value : values) {
    if (std::isfinite(value)) squares += (value - found.mean) * (value - found.mean);
  }
  found.error = std::sqrt(squares / (n - 1) / n);
  return found;
}

}  // namespace

Interval mean_interval(std::span<const double> values) {
  const auto found = moments(values);
  Interval result{found.mean, Interval::unknown, Interval::unknown, static_cast<int64_t>(found.n)};
  if (found.n < 2) return result;
  const double half = t_quantile(found.n - 1) * found.error;
  result.low = found.mean - half;
  result.high = found.mean + half;
  return result;
}

Interval mean_interval(std::span<const double> values, std::span<const uint64_t> clusters) {
  const auto found = moments(values);
  std::map<uint64_t, double> sums;  // per cluster: sum of the deviations from the mean
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) sums[clusters[i]] += values[i] - found.mean;
  }
  if (sums.size() == found.n) return mean_interval(values);
  Interval result{found.mean, Interval::unknown, Interval::unknown, static_cast<int64_t>(found.n)};
  if (sums.size() < 2) return result;
  double squares = 0;
  for (const auto& [cluster, sum] : sums) squares += sum * sum;
  const auto c = static_cast<double>(sums.size());
  const double half = t_quantile(sums.size() - 1) * std::sqrt(c / (c - 1) * squares) / static_cast<double>(found.n);
  result.low = found.mean - half;
  result.high = found.mean + half;
  return result;
}

Interval independent_difference(const Interval& a, const Interval& b) {
  Interval d;
  if (!a.known() || !b.known()) return d;
  d.mean = a.mean - b.mean;
  d.n = std::min(a.n, b.n);
  if (!a.has_interval() || !b.has_interval()) return d;
  d.low = d.mean - std::hypot(a.mean - a.low, b.high - b.mean);
  d.high = d.mean + std::hypot(a.high - a.mean, b.mean - b.low);
  return d;
}

double t_two_sided_p(double t, size_t freedom) {
  if (freedom == 0 || std::isnan(t)) return Interval::unknown;
  if (std::isinf(t)) return 0;
  const auto n = static_cast<double>(freedom);
  return incomplete_beta(n / (n + t * t), t * t / (n + t * t), n / 2, 0.5);
}

double t_quantile(size_t freedom) {
  if (freedom == 0) return Interval::unknown;
  double low = 1.9, high = 12.8;  // bracket the quantiles from infinite degrees of freedom (1.96) to one (12.7)
  while (true) {
    const double middle = (low + high) / 2;
    if (middle <= low || middle >= high) return middle;
    (t_two_sided_p(middle, freedom) > 0.05 ? low : high) = middle;
  }
}

double t_test(std::span<const double> values) {
  const auto found = moments(values);
  if (found.n < 2) return Interval::unknown;
  if (found.mean == 0) return 1;
  return t_two_sided_p(found.mean / found.error, found.n - 1);  // equal values: an infinite t
}

std::vector<double> holm(std::span<const double> p_values) {
  std::vector<size_t> order;
  for (size_t i = 0; i < p_values.size(); ++i) {
    if (!std::isnan(p_values[i])) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> corrected(p_values.size(), Interval::unknown);
  double largest = 0;
  for (size_t k = 0; k < order.size(); ++k) {
    largest = std::max(largest, std::min(1.0, static_cast<double>(order.size() - k) * p_values[order[k]]));
    corrected[order[k]] = largest;
  }
  return corrected;
}

}  // namespace compeer::statistics
