#include "report/sections/trial_findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/comparing/trial_figures.h"
#include "report/drawing/numbers.h"

namespace compeer::report {

namespace {

constexpr size_t told_by_name = 4;

/// Places of the kinds whose figures are known, the best first.
std::vector<size_t> ranking(const std::vector<Estimate>& all, Better better) {
  std::vector<size_t> order;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].known()) order.push_back(i);
  }
  const double sign = better == Better::higher ? 1 : -1;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return sign * all[a].mean > sign * all[b].mean; });
  return order;
}

}  // namespace

std::vector<std::string> trial_findings(const std::vector<RunData>& runs, const TrialGroup& group) {
  const auto better = group.better(group.headline);
  const auto all = figures(runs, group, group.headline);
  const auto order = ranking(all, better);
  if (better == Better::unknown || order.size() < 2 || all[order.front()].mean == all[order.back()].mean) return {};
  const auto& best = group.kinds[order[0]];
  const int decimals = column_decimals(all);
  std::string text = fmt::format("{}: best is {} with {}", group.title(group.headline), best.label,
                                 with_interval(all[order[0]], decimals));
  for (size_t i = 1; i < std::min(order.size(), 1 + told_by_name); ++i) {
    const auto& kind = group.kinds[order[i]];
    text += fmt::format("; {}: {}", kind.label, in_words(difference(runs, best, kind, group.headline), decimals));
  }
  if (order.size() > 1 + told_by_name) text += fmt::format("; {} more in the table", order.size() - 1 - told_by_name);
  return {text + "."};
}

}  // namespace compeer::report
