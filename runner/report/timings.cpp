#include "report/timings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/bar_plot.h"
#include "report/compare.h"
#include "report/numbers.h"
#include "report/table.h"

namespace compeer::report {

namespace {

constexpr size_t most_bars = 40;
const std::string prefix = "seconds/";

double sum(const RunData& run, const std::string& column) {
  const auto* values = run.column(column);
  double total = 0;
  if (values) {
    for (const double value : *values) total += std::isfinite(value) ? value : 0;
  }
  return total;
}

/// Phases of all runs, the longest first.
std::vector<std::string> phases(const std::vector<RunData>& runs) {
  std::map<std::string, double> totals;
  for (const auto& run : runs) {
    for (const auto& [name, values] : run.columns) {
      if (name.starts_with(prefix)) totals[name.substr(prefix.size())] += sum(run, name);
    }
  }
  std::vector<std::string> names;
  for (const auto& [name, seconds] : totals) {
    if (seconds > 0) names.push_back(name);
  }
  std::stable_sort(names.begin(), names.end(), [&](const auto& a, const auto& b) { return totals[a] > totals[b]; });
  return names;
}

void write_bars(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage,
                const std::vector<std::string>& names) {
  BarPlot plot{"phases", "Time spent in each phase", "", "seconds", names, {}};
  for (const auto& run : runs) {
    if (run.rows() == 0 || plot.rows.size() == most_bars) continue;
    BarRow row{lineage.label(static_cast<size_t>(&run - runs.data())), run.name, {}};
    for (const auto& name : names) row.parts.push_back(sum(run, prefix + name));
    plot.rows.push_back(row);
  }
  plot.description = "The same numbers are in the table below.";
  const auto figure =
      out.open("figure", {{"class", "bars"}, {"role", "group"}, {"tabindex", "0"}, {"aria-label", plot.title}});
  {
    const auto key = out.open("figcaption");
    for (size_t i = 0; i < names.size(); ++i) {
      const auto item = out.open("span", {{"class", fmt::format("key p{}", i % 8)}});
      out.text(names[i]);
    }
  }
  draw(out, plot);
}

}  // namespace

void write_timings(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage) {
  const auto names = phases(runs);
  if (!names.empty()) write_bars(out, runs, lineage, names);
  Table table{"Runs and their time",
              "run",
              {{"task", "", "", false},
               {"state", "", "", false},
               {"steps", "", ""},
               {"total", "", "from start to end"},
               {"per step", "", "all phases together"},
               {"tokens/s", "", "mean over rows"}},
              {{"", {}}}};
  for (const auto& name : names) table.columns.push_back({name, "seconds", "all rows together"});
  for (size_t i = 0; i < runs.size(); ++i) {
    const auto& run = runs[i];
    double busy = 0;
    for (const auto& name : names) busy += sum(run, prefix + name);
    const double rows = static_cast<double>(run.rows());
    const auto* speed = run.column("tokens_per_second");
    const std::string steps = run.steps_planned > run.steps_done
                                  ? fmt::format("{} of {}", run.steps_done, run.steps_planned)
                                  : fmt::format("{}", run.steps_done);
    TableRow row{run.name,
                 "",
                 lineage.style(i),
                 {{run.task.empty() ? "?" : run.task, ""},
                  {run.state.empty() ? "?" : run.state, ""},
                  {steps, ""},
                  {duration(run.elapsed), ""},
                  {busy > 0 ? fixed(busy / rows, 3) + " s" : "–", ""},
                  {speed ? fixed(mean_of(*speed).mean, 0) : "–", ""}}};
    for (const auto& name : names)
      row.cells.push_back({run.column(prefix + name) ? fixed(sum(run, prefix + name), 1) : "–", ""});
    table.groups[0].rows.push_back(row);
  }
  write(out, table);
}

}  // namespace compeer::report
