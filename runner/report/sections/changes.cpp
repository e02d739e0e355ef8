#include <fmt/format.h>

#include "report/comparing/evaluations.h"
#include "report/drawing/numbers.h"
#include "report/drawing/table.h"
#include "report/sections/sections.h"

namespace compeer::report {

namespace {

constexpr size_t most_pairs = 12;

std::string verdict(const MeanDifference& d) {
  if (!d.known()) return "no interval";
  if (d.none()) return "equal";
  return !d.clear() ? "no clear difference" : d.low > 0 ? "higher" : "lower";
}

TableCell cell(const MeanDifference& d, int decimals) {
  const auto interval = fmt::format("{} to {}", fixed_signed(d.low, decimals), fixed_signed(d.high, decimals));
  return {fixed_signed(d.value, decimals), d.known() ? interval : "", d.clear()};
}

TableGroup rows_of(const std::vector<RunData>& runs, const EvaluationGroup& group,
                   const std::vector<BeforeAfter>& pairs) {
  TableGroup rows{group.heading, {}};
  for (const auto& metric : group.headline) {
    const auto all = figures(runs, group, metric.name);
    const int decimals = column_decimals(all);
    for (const auto& [before, after] : pairs) {
      const auto &a = group.candidates[before], &b = group.candidates[after];
      const auto d = difference(runs, a, b, metric.name);
      if (std::isnan(d.value)) continue;
      rows.rows.push_back({metric.title,
                           metric.from,
                           {},
                           {{a.label + " → " + b.label, ""},
                            interval_cell(all[before], decimals),
                            interval_cell(all[after], decimals),
                            cell(d, decimals),
                            {verdict(d), d.paired ? "prompt by prompt" : ""}}});
    }
  }
  return rows;
}

}  // namespace

void write_changes(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage) {
  PageTable table{"Before and after training, with 95 % intervals",
                  "metric",
                  {{"models", "", "", false},
                   {"before", "", ""},
                   {"after", "", ""},
                   {"difference", "", ""},
                   {"after is", "", "higher or lower only if the interval of the difference leaves zero out", false}},
                  {}};
  for (const auto& group : run_evaluations(runs, lineage, Seeds::apart)) {
    const auto pairs = comparisons(runs, lineage, group);
    if (pairs.empty() || pairs.size() > most_pairs) continue;
    table.groups.push_back(rows_of(runs, group, pairs));
  }
  if (!table.groups.empty()) write(out, table);
}

}  // namespace compeer::report
