#include "report/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/numbers.h"

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

Difference difference(const Estimate& a, const Estimate& b) {
  Difference d;
  if (!a.known() || !b.known()) return d;
  d.value = b.mean - a.mean;
  if (!a.has_interval() || !b.has_interval()) return d;
  d.low = d.value - std::hypot(b.mean - b.low, a.high - a.mean);
  d.high = d.value + std::hypot(b.high - b.mean, a.mean - a.low);
  return d;
}

Difference difference(const RunData& a, const RunData& b, const std::string& metric) {
  const Difference independent = difference(a.estimate(metric), b.estimate(metric));
  const auto differences = pairs(a, b, metric);
  if (differences.empty() || !independent.known()) return independent;
  const Estimate paired = mean_of(differences);
  // The pairs must tell the same story as the summaries: else they are not the same measurement.
  if (std::abs(paired.mean - independent.value) > 0.25 * (independent.high - independent.low)) return independent;
  return {paired.mean, paired.low, paired.high, true};
}

std::string in_words(const Difference& d, int decimals) {
  if (!d.known()) return std::isnan(d.value) ? fixed(d.value, 0) : fixed_signed(d.value, decimals) + " (no interval)";
  if (d.none()) return "equal";
  const auto text = fmt::format("{} [{}, {}]", fixed_signed(d.value, decimals), fixed_signed(d.low, decimals),
                                fixed_signed(d.high, decimals));
  return d.clear() ? text : fmt::format("no clear difference ({})", text);
}

Estimate mean_of(const std::vector<double>& values) {
  Estimate e;
  double sum = 0, squares = 0;
  for (const double value : values) {
    if (std::isfinite(value)) sum += value, ++e.n;
  }
  if (e.n == 0) return e;
  e.mean = sum / static_cast<double>(e.n);
  for (const double value : values) {
    if (std::isfinite(value)) squares += (value - e.mean) * (value - e.mean);
  }
  if (e.n < 2) return e;
  const double n = static_cast<double>(e.n);
  const double half = t_quantile(e.n - 1) * std::sqrt(squares / (n - 1) / n);
  e.low = e.mean - half;
  e.high = e.mean + half;
  return e;
}

double t_quantile(size_t freedom) {
  constexpr std::array table = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
  if (freedom == 0) return missing;
  if (freedom <= table.size()) return table[freedom - 1];
  // Cornish-Fisher around the normal quantile: the error is below 0.001 from 11 degrees on.
  const double z = 1.959964, n = static_cast<double>(freedom), z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
  return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

}  // namespace compeer::report
