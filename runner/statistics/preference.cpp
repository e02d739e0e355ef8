// Win rates, the sign test and Bradley-Terry strengths.
#include "statistics/preference.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace compeer::statistics {

namespace {

using Wins = std::vector<std::vector<double>>;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// True if player 0 reaches every other one along wins; along losses if `turned`. Both together mean that the graph of
// wins is strongly connected.
bool reaches_all(const Wins& wins, bool turned) {
  std::vector<bool> reached(wins.size());
  std::vector<size_t> open = {0};
  reached[0] = true;
  while (!open.empty()) {
    const size_t i = open.back();
    open.pop_back();
    for (size_t j = 0; j < wins.size(); ++j) {
      if (reached[j] || (turned ? wins[j][i] : wins[i][j]) <= 0) continue;
      reached[j] = true;
      open.push_back(j);
    }
  }
  return std::all_of(reached.begin(), reached.end(), [](bool one) { return one; });
}

// One step of Hunter's (2004) minorization-maximization: p[i] = wins of i / sum over j of n[i][j] / (p[i] + p[j]),
// scaled to a geometric mean of 1.
std::vector<double> improved(const Wins& wins, const std::vector<double>& p) {
  std::vector<double> next(p.size());
  double sum_of_logs = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    double won = 0, expected = 0;
    for (size_t j = 0; j < p.size(); ++j) {
      if (i == j) continue;
      won += wins[i][j];
      expected += (wins[i][j] + wins[j][i]) / (p[i] + p[j]);
    }
    next[i] = won / expected;
    sum_of_logs += std::log(next[i]);
  }
  const double middle = std::exp(sum_of_logs / static_cast<double>(p.size()));
  for (double& one : next) one /= middle;
  return next;
}

}  // namespace

BootstrapInterval wilson(size_t successes, size_t n) {
  if (n == 0) return {unknown, unknown, unknown};
  constexpr double z = 1.959963984540054;
  const auto count = static_cast<double>(n);
  const double share = static_cast<double>(successes) / count, scale = 1 + z * z / count;
  const double centre = (share + z * z / (2 * count)) / scale;
  const double half = z * std::sqrt(share * (1 - share) / count + z * z / (4 * count * count)) / scale;
  return {share, successes == 0 ? 0 : centre - half, successes == n ? 1 : centre + half};
}

double sign_test(size_t wins, size_t losses) {
  const auto n = static_cast<double>(wins + losses);
  double tail = 0;
  for (size_t k = 0; k <= std::min(wins, losses); ++k) {
    const auto x = static_cast<double>(k);
    tail += std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) - n * std::log(2.0));
  }
  return std::min(1.0, 2 * tail);
}

std::vector<double> bradley_terry(const Wins& wins) {
  std::vector<double> p(wins.size(), 1.0);
  if (wins.empty()) return p;
  if (!reaches_all(wins, false) || !reaches_all(wins, true)) return std::vector<double>(wins.size(), unknown);
  for (int i = 0; i < 10000; ++i) {
    auto next = improved(wins, p);
    double change = 0;
    for (size_t k = 0; k < p.size(); ++k) change = std::max(change, std::abs(std::log(next[k] / p[k])));
    p = std::move(next);
    if (change < 1e-12) break;
  }
  for (double& one : p) one = std::log(one);
  return p;
}

}  // namespace compeer::statistics
