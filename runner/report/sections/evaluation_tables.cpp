#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/drawing/numbers.h"
#include "report/sections/evaluation_parts.h"

namespace compeer::report {

namespace {

TableCell cell(const Interval& figure, int decimals, const Standing& standing) {
  TableCell made = interval_cell(figure, decimals);
  if (standing.level) made.text = "≈ " + made.text;
  made.best = standing.best, made.second = standing.second;
  return made;
}

/// Numbers of records and the like have no decimals.
int decimals_of(const std::vector<Interval>& all) {
  const bool counts = std::all_of(all.begin(), all.end(), [](const Interval& e) {
    return !e.known() || (!e.has_interval() && e.mean == std::floor(e.mean));
  });
  return counts ? 0 : column_decimals(all);
}

/// Records that were scored, and below it how many were not; of an evaluate run the prompts its intervals are over.
TableCell counted(const std::vector<RunData>& runs, const Candidate& candidate) {
  int64_t all = 0, left_out = 0;
  for (const auto& [run, stage, test] : candidate.evaluations) {
    const auto& of_stage = stage > 0 ? runs[run].stages[stage] : StageData{};
    int64_t prompts = 0;
    for (const auto& [name, estimate] : runs[run].summary) prompts = std::max(prompts, estimate.n);
    all += stage > 0 ? of_stage.in - of_stage.left_out : prompts;
    left_out += of_stage.left_out;
  }
  return {fixed(double(all), 0), left_out > 0 ? fmt::format("{} not scored", left_out) : ""};
}

/// One evaluation bears its whole name, and whatever kept its run from finishing.
TableRow row_of(const std::vector<RunData>& runs, const Candidate& candidate) {
  const auto& first = candidate.evaluations.front();
  const size_t seeds = candidate.evaluations.size();
  const auto head = seeds > 1 ? fmt::format("{} ({} seeds)", candidate.label, seeds) : candidate.name;
  auto below = candidate.subject;
  if (seeds == 1 && !runs[first.run].finished()) below += (below.empty() ? "" : ", ") + runs[first.run].state;
  return {head, below, candidate.style, {}};
}

std::string path_of(const FigureRows& rows, const Metric& metric) {
  return rows.topic.empty() ? metric.name : rows.topic + "/" + metric.name;
}

void add_column(const std::vector<RunData>& runs, const FigureTable& figures_of, const Metric& metric,
                PageTable& table) {
  table.columns.push_back(
      {metric.title + arrow(metric.better), metric.from, metric.note.empty() ? metric.name : metric.note});
  std::map<std::string, std::vector<Interval>> all;
  for (const auto& rows : figures_of.rows) {
    const auto path = path_of(rows, metric);
    const auto some = figures(runs, *rows.group, path);
    all[path].insert(all[path].end(), some.begin(), some.end());
  }
  for (size_t g = 0; g < figures_of.rows.size(); ++g) {
    const auto& group = *figures_of.rows[g].group;
    const auto path = path_of(figures_of.rows[g], metric);
    const auto values = figures(runs, group, path);
    const auto marks = figures_of.marked ? standings(runs, group, path) : std::vector<Standing>(values.size());
    for (size_t i = 0; i < values.size(); ++i)
      table.groups[g].rows[i].cells.push_back(cell(values[i], decimals_of(all[path]), marks[i]));
  }
}

}  // namespace

std::string arrow(Better better) { return better == Better::higher ? " ↑" : better == Better::lower ? " ↓" : ""; }

void write(Markup& out, const std::vector<RunData>& runs, const FigureTable& figures) {
  if (figures.rows.empty() || figures.metrics.empty()) return;
  PageTable table{figures.caption, figures.corner, {}, {}};
  for (const auto& rows : figures.rows) {
    TableGroup group{rows.heading, {}};
    for (const auto& candidate : rows.group->candidates) {
      group.rows.push_back(row_of(runs, candidate));
      if (!figures.counted.empty()) group.rows.back().cells.push_back(counted(runs, candidate));
    }
    table.groups.push_back(group);
  }
  if (!figures.counted.empty()) table.columns.push_back({"n", figures.counted, figures.counted + " that were scored"});
  for (const auto& metric : figures.metrics) add_column(runs, figures, metric, table);
  write(out, table);
}

}  // namespace compeer::report
