#include "report/sections/curve_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/drawing/numbers.h"
#include "report/drawing/table.h"
#include "report/runs/metrics.h"

namespace compeer::report {

namespace {

/// Adds a column with each run's figure.
void add_column(PageTable& table, const std::vector<const RunData*>& runs, const Metric& metric) {
  std::vector<Interval> means;
  for (const auto* run : runs) means.push_back({run->estimate(metric.name).mean, missing, missing, 0});
  table.columns.push_back({metric.title, metric.from, metric.note});
  const int decimals = column_decimals(means);
  for (size_t k = 0; k < runs.size(); ++k) {
    const double mean = means[k].mean;
    table.groups[0].rows[k].cells.push_back(
        {mean != 0 && std::abs(mean) < 1e-3 ? compact(mean) : fixed(mean, decimals), ""});
  }
}

TableRow row_of(const RunData& run, size_t style) { return {run.name, run.finished() ? "" : run.state, style, {}}; }

/// Looks at the metric that decides.
size_t looks(const RunData& run) {
  const auto* values = run.column(validation_metrics({&run}).front().name);
  return values ? std::count_if(values->begin(), values->end(), [](double v) { return std::isfinite(v); }) : 0;
}

}  // namespace

void write_last_rows(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage, const std::string& task,
                     const std::vector<Metric>& metrics) {
  PageTable table{"At the end of training: means over the last 20 rows", "run", {}, {{"", {}}}};
  std::vector<const RunData*> shown;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].task != task || runs[i].rows() == 0) continue;
    shown.push_back(&runs[i]);
    table.groups[0].rows.push_back(row_of(runs[i], lineage.style(i)));
  }
  for (const auto& metric : metrics) {
    if (metric.topic != Topic::validation) add_column(table, shown, metric);
  }
  write(out, table);
}

void write_best_looks(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage, const std::string& task) {
  PageTable table{"Validation: the best look of each run",
                  "run",
                  {{"looks", "", "steps at which held-out records were looked at"}, {"best step", "", ""}},
                  {{"", {}}}};
  std::vector<const RunData*> shown;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].task != task || !std::isfinite(best_step(runs[i])) || validation_metrics({&runs[i]}).empty()) continue;
    shown.push_back(&runs[i]);
    table.groups[0].rows.push_back(row_of(runs[i], lineage.style(i)));
    table.groups[0].rows.back().cells = {{fmt::format("{}", looks(runs[i])), ""},
                                         {fixed(best_step(runs[i]), 0), fmt::format("of {}", runs[i].steps_done)}};
  }
  if (shown.empty()) return;
  for (const auto& metric : validation_metrics(shown)) add_column(table, shown, metric);
  write(out, table);
  out.element(
      "p", {{"class", "how"}},
      "The best of many looks is too good by chance; an evaluation on other records tells what a model is worth.");
}

}  // namespace compeer::report
