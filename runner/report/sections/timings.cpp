#include <fmt/format.h>

#include <algorithm>

#include "report/comparing/compare.h"
#include "report/drawing/numbers.h"
#include "report/drawing/plots.h"
#include "report/drawing/table.h"
#include "report/sections/sections.h"

namespace compeer::report {

namespace {

constexpr size_t most_bars = 40;
const std::string prefix = "seconds/", whole_step = "seconds/step", validation = "seconds/validation";

double sum(const RunData& run, const std::string& column) {
  const auto* values = run.column(column);
  if (!values) return missing;
  double total = 0;
  for (const double value : *values) total += std::isfinite(value) ? value : 0;
  return total;
}

double known(double value) { return std::isfinite(value) ? value : 0; }

void write_bars(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage, const Phases& phases) {
  BarPlot plot{
      "phases", "Time spent in each phase", "The same numbers are in the table below.", "seconds", phases.names, {}};
  for (size_t i = 0; i < runs.size() && plot.rows.size() < most_bars; ++i) {
    if (runs[i].rows() > 0) plot.rows.push_back({lineage.label(i), runs[i].name, phases.seconds[i]});
  }
  const auto figure =
      out.open("figure", {{"class", "bars"}, {"role", "group"}, {"tabindex", "0"}, {"aria-label", plot.title}});
  {
    const auto key = out.open("figcaption");
    for (size_t i = 0; i < phases.names.size(); ++i)
      out.element("span", {{"class", fmt::format("key p{}", i % part_looks)}}, phases.names[i]);
  }
  draw(out, plot);
}

/// `whole`: all rows together. Validation comes between steps.
TableRow row_of(const RunData& run, size_t style, double whole) {
  const bool short_of_plan = run.steps_planned > run.steps_done;
  const auto* speed = run.column("tokens_per_second");
  const double steps = whole - known(sum(run, validation));
  const double per_step = run.rows() > 0 ? steps / static_cast<double>(run.rows()) : missing;
  return {run.name,
          "",
          style,
          {{run.task.empty() ? "?" : run.task, ""},
           {run.state.empty() ? "?" : run.state, ""},
           {fmt::format("{}", run.steps_done), short_of_plan ? fmt::format("of {}", run.steps_planned) : ""},
           {duration(run.elapsed), ""},
           {per_step > 0 ? fixed(per_step, 3) : fixed(missing, 0), ""},
           {speed ? fixed(statistics::mean_interval(*speed).mean, 0) : fixed(missing, 0), ""}}};
}

}  // namespace

Phases phases_of(const std::vector<RunData>& runs) {
  std::map<std::string, double> totals;
  Phases phases;
  for (const auto& run : runs) {
    double parts = 0;
    for (const auto& [name, values] : run.columns) {
      if (!name.starts_with(prefix) || name == whole_step) continue;
      totals[name.substr(prefix.size())] += sum(run, name);
      if (name != validation) parts += sum(run, name);
    }
    phases.whole.push_back(std::max(parts, known(sum(run, whole_step))) + known(sum(run, validation)));
    phases.seconds.push_back({});
  }
  for (const auto& [name, seconds] : totals) {
    if (seconds > 0) phases.names.push_back(name);
  }
  std::stable_sort(phases.names.begin(), phases.names.end(),
                   [&](const auto& a, const auto& b) { return totals[a] > totals[b]; });
  double other = 0;
  for (size_t i = 0; i < runs.size(); ++i) {
    double left = phases.whole[i];
    for (const auto& name : phases.names) {
      phases.seconds[i].push_back(sum(runs[i], prefix + name));
      left -= known(phases.seconds[i].back());
    }
    phases.seconds[i].push_back(std::max(0.0, left));
    other += phases.seconds[i].back();
  }
  phases.names.push_back("other");
  if (other > 0.05) return phases;
  phases.names.pop_back();  // rounding, not time
  for (auto& seconds : phases.seconds) seconds.pop_back();
  return phases;
}

void write_timings(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage) {
  const Phases phases = phases_of(runs);
  if (!phases.names.empty()) write_bars(out, runs, lineage, phases);
  PageTable table{"Runs and their time",
                  "run",
                  {{"task", "", "", false},
                   {"state", "", "", false},
                   {"steps", "", ""},
                   {"total", "", "running time, resumed parts included"},
                   {"step", "seconds", "mean over rows, without validation"},
                   {"tokens/s", "", "mean over rows"}},
                  {{"", {}}}};
  for (const auto& name : phases.names) table.columns.push_back({name, "seconds", "all rows together"});
  for (size_t i = 0; i < runs.size(); ++i) {
    TableRow row = row_of(runs[i], lineage.style(i), phases.whole[i]);
    for (const double seconds : phases.seconds[i]) row.cells.push_back({fixed(seconds, 1), ""});
    table.groups[0].rows.push_back(row);
  }
  write(out, table);
}

}  // namespace compeer::report
