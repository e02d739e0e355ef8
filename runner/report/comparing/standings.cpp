#include "report/comparing/standings.h"

#include <algorithm>
#include <cmath>

#include "report/runs/run_data.h"

namespace compeer::report {

std::vector<Standing> standings(const std::vector<Estimate>& figures, Better better) {
  return standings(figures, better, [&](size_t i, size_t best) { return difference(figures[i], figures[best]); });
}

std::vector<Standing> standings(const std::vector<Estimate>& figures, Better better,
                                const std::function<Difference(size_t, size_t)>& differ) {
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
