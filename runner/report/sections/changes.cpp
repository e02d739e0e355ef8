#include "report/sections/changes.h"

#include <fmt/format.h>

#include "report/comparing/compare.h"
#include "report/comparing/evaluation_groups.h"
#include "report/drawing/numbers.h"
#include "report/drawing/table.h"

namespace compeer::report {

namespace {

constexpr size_t most_pairs = 12;

std::string verdict(const Difference& d) {
  if (!d.known()) return "no interval";
  if (d.none()) return "equal";
  return !d.clear() ? "no clear difference" : d.low > 0 ? "higher" : "lower";
}

TableCell cell(const Estimate& e, int decimals) {
  return {fixed(e.mean, decimals),
          e.has_interval() ? fmt::format("{} to {}", fixed(e.low, decimals), fixed(e.high, decimals)) : ""};
}

TableCell cell(const Difference& d, int decimals) {
  const auto interval = fmt::format("{} to {}", fixed_signed(d.low, decimals), fixed_signed(d.high, decimals));
  return {fixed_signed(d.value, decimals), d.known() ? interval : "", d.clear()};
}

TableGroup rows_of(const std::vector<RunData>& runs, const EvaluationGroup& group,
                   const std::vector<Comparison>& pairs) {
  TableGroup rows{group.heading, {}};
  std::vector<const RunData*> members;
  for (const size_t run : group.runs) members.push_back(&runs[run]);
  for (const auto& metric : headline(members)) {
    std::vector<Estimate> all;
    for (const auto* run : members) all.push_back(run->estimate(metric.name));
    const int decimals = column_decimals(all);
    for (const auto& pair : pairs) {
      const auto &a = runs[pair.before], &b = runs[pair.after];
      const auto d = difference(a, b, metric.name);
      if (std::isnan(d.value)) continue;
      rows.rows.push_back({metric.title,
                           metric.from,
                           {},
                           {{pair.label_before + " → " + pair.label_after, ""},
                            cell(a.estimate(metric.name), decimals),
                            cell(b.estimate(metric.name), decimals),
                            cell(d, decimals),
                            {verdict(d), d.paired ? "prompt by prompt" : ""}}});
    }
  }
  return rows;
}

}  // namespace

void write_changes(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage) {
  Table table{"Before and after training, with 95 % intervals",
              "metric",
              {{"models", "", "", false},
               {"before", "", ""},
               {"after", "", ""},
               {"difference", "", ""},
               {"after is", "", "higher or lower only if the interval of the difference leaves zero out", false}},
              {}};
  for (const auto& group : evaluation_groups(runs, lineage)) {
    const auto pairs = comparisons(runs, lineage, group);
    if (pairs.empty() || pairs.size() > most_pairs) continue;
    table.groups.push_back(rows_of(runs, group, pairs));
  }
  if (!table.groups.empty()) write(out, table);
}

}  // namespace compeer::report
