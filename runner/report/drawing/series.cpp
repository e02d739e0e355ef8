// Smooths, thins and aggregates curves.
#include "report/drawing/series.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace compeer::report {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

Curve finite(const Curve& curve) {
  Curve kept;
  for (size_t i = 0; i < curve.y.size(); ++i) {
    if (!std::isfinite(curve.y[i]) || !std::isfinite(curve.x[i])) continue;
    kept.x.push_back(curve.x[i]);
    kept.y.push_back(curve.y[i]);
  }
  return kept;
}

/// Calls `visit(first, last)` for the index range of every non-empty bucket.
template <class Visit>
void for_buckets(const Curve& curve, size_t buckets, Visit visit) {
  const double from = curve.x.front(), width = (curve.x.back() - from) / static_cast<double>(buckets);
  const auto bucket = [&](size_t i) {
    return width > 0 ? std::min(buckets - 1, static_cast<size_t>((curve.x[i] - from) / width)) : size_t{0};
  };
  for (size_t first = 0; first < curve.x.size();) {
    size_t last = first + 1;
    while (last < curve.x.size() && bucket(last) == bucket(first)) ++last;
    visit(first, last);
    first = last;
  }
}

}  // namespace

size_t smoothing_window(size_t rows) { return rows < 20 ? 1 : std::max<size_t>(5, rows / 20 | 1); }

std::vector<double> smooth(const std::vector<double>& values, size_t window) {
  std::vector<double> means(values.size(), none);
  const size_t half = window / 2;
  for (size_t i = 0; i < values.size(); ++i) {
    double sum = 0;
    size_t n = 0;
    for (size_t j = i - std::min(i, half); j < std::min(values.size(), i + half + 1); ++j) {
      if (std::isfinite(values[j])) sum += values[j], ++n;
    }
    if (n > 0) means[i] = sum / static_cast<double>(n);
  }
  return means;
}

Curve thin_extremes(const Curve& curve, size_t buckets) {
  const Curve all = finite(curve);
  if (all.x.size() <= 2 * buckets || buckets == 0) return all;
  Curve thin;
  const auto keep = [&](size_t i) { thin.x.push_back(all.x[i]), thin.y.push_back(all.y[i]); };
  for_buckets(all, buckets, [&](size_t first, size_t last) {
    const auto [low, high] = std::minmax_element(all.y.begin() + first, all.y.begin() + last);
    const size_t a = low - all.y.begin(), b = high - all.y.begin();
    keep(std::min(a, b));
    if (a != b) keep(std::max(a, b));
  });
  return thin;
}

Curve thin_mean(const Curve& curve, size_t buckets) {
  const Curve all = finite(curve);
  if (all.x.size() <= buckets || buckets == 0) return all;
  Curve thin;
  for_buckets(all, buckets, [&](size_t first, size_t last) {
    double x = 0, y = 0;
    for (size_t i = first; i < last; ++i) x += all.x[i], y += all.y[i];
    thin.x.push_back(x / static_cast<double>(last - first));
    thin.y.push_back(y / static_cast<double>(last - first));
  });
  return thin;
}

CurveSpread across(const std::vector<Curve>& curves) {
  std::map<double, std::vector<double>> at;
  for (const auto& curve : curves) {
    for (size_t i = 0; i < curve.y.size(); ++i) {
      if (std::isfinite(curve.x[i]) && std::isfinite(curve.y[i])) at[curve.x[i]].push_back(curve.y[i]);
    }
  }
  CurveSpread spread;
  for (const auto& [x, values] : at) {
    double sum = 0;
    for (const double y : values) sum += y;
    spread.x.push_back(x);
    spread.mean.push_back(sum / static_cast<double>(values.size()));
    spread.low.push_back(*std::min_element(values.begin(), values.end()));
    spread.high.push_back(*std::max_element(values.begin(), values.end()));
  }
  return spread;
}

double quantile(std::vector<double> values, double share) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return none;
  const auto at = static_cast<size_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[at];
}

}  // namespace compeer::report
