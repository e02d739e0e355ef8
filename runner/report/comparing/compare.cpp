#include "report/comparing/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/drawing/numbers.h"

namespace compeer::report {

namespace {

constexpr size_t fewest_pairs = 8;

/// b - a for every prompt, or nothing if the two did not measure the same ones.
std::vector<double> pairs(const RunData& a, const RunData& b, const std::string& metric) {
  const auto of_a = a.per_prompt.find(metric), of_b = b.per_prompt.find(metric);
  if (of_a == a.per_prompt.end() || of_b == b.per_prompt.end()) return {};
  if (of_a->second.size() != of_b->second.size() || of_a->second.size() < fewest_pairs) return {};
  std::vector<double> differences;
  for (const auto& [example, value] : of_a->second) {
    const auto other = of_b->second.find(example);
    if (other == of_b->second.end() || !std::isfinite(value) || !std::isfinite(other->second)) return {};
    differences.push_back(other->second - value);
  }
  return differences;
}

}  // namespace

MeanDifference difference(const Interval& a, const Interval& b) {
  const auto d = statistics::independent_difference(b, a);
  return {d.mean, d.low, d.high};
}

MeanDifference difference(const RunData& a, const RunData& b, const std::string& metric) {
  const MeanDifference independent = difference(a.estimate(metric), b.estimate(metric));
  const auto differences = pairs(a, b, metric);
  if (differences.empty() || !independent.known()) return independent;
  const Interval paired = statistics::mean_interval(differences);
  // The pairs must tell the same story as the summaries: else they are not the same measurement.
  if (std::abs(paired.mean - independent.value) > 0.25 * (independent.high - independent.low)) return independent;
  return {paired.mean, paired.low, paired.high, true};
}

std::string in_words(const MeanDifference& d, int decimals) {
  if (!d.known()) return std::isnan(d.value) ? fixed(d.value, 0) : fixed_signed(d.value, decimals) + " (no interval)";
  if (d.none()) return "equal";
  const auto text = fmt::format("{} [{}, {}]", fixed_signed(d.value, decimals), fixed_signed(d.low, decimals),
                                fixed_signed(d.high, decimals));
  return d.clear() ? text : fmt::format("no clear difference ({})", text);
}

std::vector<Standing> standings(const std::vector<Interval>& figures, Better better) {
  return standings(figures, better, [&](size_t i, size_t best) { return difference(figures[i], figures[best]); });
}

std::vector<Standing> standings(const std::vector<Interval>& figures, Better better,
                                const std::function<MeanDifference(size_t, size_t)>& differ) {
  std::vector<Standing> all(figures.size());
  std::vector<size_t> order;
  for (size_t i = 0; i < figures.size(); ++i) {
    if (figures[i].known()) order.push_back(i);
  }
  if (better == Better::unknown || order.size() < 2) return all;
  const double sign = better == Better::higher ? 1 : -1;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return sign * figures[a].mean > sign * figures[b].mean; });
  const double best = figures[order[0]].mean;
  double second = missing;
  for (const size_t i : order) {
    if (figures[i].mean != best && !std::isfinite(second)) second = figures[i].mean;
    all[i].best = figures[i].mean == best;
    all[i].second = figures[i].mean == second;
    const auto d = differ(i, order[0]);
    all[i].level = !all[i].best && d.known() && !d.clear();
  }
  if (!std::isfinite(second)) return std::vector<Standing>(figures.size());  // all alike
  return all;
}

}  // namespace compeer::report
