// The section of frontiers: trade-off plots of two metrics with the Pareto front.
#include "report/sections/frontier.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/comparing/evaluations.h"
#include "report/drawing/plots.h"
#include "report/drawing/table.h"
#include "report/runs/metrics.h"

namespace compeer::report {

namespace {

/// Splits "01-sage/mean_emotion/value" into the stage and "mean_emotion"; no stage for other metrics.
std::pair<const StageData*, std::string> found_by(const RunData& run, const std::string& metric) {
  const size_t slash = metric.find('/');
  for (const auto& stage : run.stages) {
    if (slash == std::string::npos || metric.compare(0, slash, stage.name) != 0) continue;
    std::string path = metric.substr(slash + 1);
    if (path.ends_with("/value")) path.resize(path.size() - 6);
    return {&stage, path};
  }
  return {nullptr, ""};
}

/// Returns the figure of a stage's findings with its interval; for other metrics the value in the summary.
Interval value_of(const RunData& run, const std::string& metric) {
  if (const auto [stage, path] = found_by(run, metric); stage) {
    const auto figures = figures_of(stage->findings);
    if (const auto found = figures.find(path); found != figures.end()) return found->second;
  }
  return run.estimate(metric);
}

Metric metric_of(const std::vector<RunData>& runs, const std::string& name) {
  for (const auto& run : runs) {
    const auto [stage, path] = found_by(run, name);
    if (!stage || !figures_of(stage->findings).contains(path)) continue;
    Metric metric{.name = name, .title = path.substr(path.rfind('/') + 1), .from = stage->name, .note = ""};
    metric.better = better_of(directions_of(stage->findings), path);
    return metric;
  }
  return describe(name);
}

bool better(double a, double b, Better way) { return way == Better::lower ? a < b : a > b; }

void ring_front(std::vector<FrontierDot>& dots, Better x, Better y) {
  for (auto& dot : dots) {
    const auto beats = [&](const FrontierDot& other) {
      const bool no_worse = !better(dot.x.mean, other.x.mean, x) && !better(dot.y.mean, other.y.mean, y);
      return no_worse && (better(other.x.mean, dot.x.mean, x) || better(other.y.mean, dot.y.mean, y));
    };
    dot.on_front = std::none_of(dots.begin(), dots.end(), beats);
  }
}

void write_table(Markup& out, const FrontierGroup& group, const Metric& x, const Metric& y) {
  PageTable table{group.heading + ": " + y.title + " and " + x.title, "runs"};
  std::vector<Interval> xs, ys;
  for (const auto& dot : group.dots) xs.push_back(dot.x), ys.push_back(dot.y);
  table.columns = {{x.title, x.from, x.name}, {y.title, y.from, y.name}, {"on the front", "", "", false}};
  for (const auto& dot : group.dots) {
    table.groups[0].rows.push_back({dot.name,
                                    "",
                                    dot.style,
                                    {interval_cell(dot.x, column_decimals(xs)),
                                     interval_cell(dot.y, column_decimals(ys)),
                                     {dot.on_front ? "yes" : "no", ""}}});
  }
  write(out, table);
}

std::string way(Better better) { return better == Better::lower ? " (lower is better)" : " (higher is better)"; }

/// Draws each dot as a line of one point, and a line through those on the front.
void write_plot(Markup& out, const FrontierGroup& group, const Metric& x, const Metric& y, const std::string& id) {
  LinePlot plot{id, y.title + " against " + x.title, x.title + way(x.better), {}};
  PlotLine front{"", "Pareto front", styles_told_apart, {}, {}, {}};
  auto dots = group.dots;
  std::stable_sort(dots.begin(), dots.end(), [](auto& a, auto& b) { return a.x.mean < b.x.mean; });
  for (const auto& dot : dots) {
    PlotLine line{dot.label, dot.name, dot.style, {}, {}, {}};
    add_point(line, dot.x.mean, dot.y);
    line.points = true, line.across = dot.x;
    if (dot.on_front) line.ringed = line.heavy, add_point(front, dot.x.mean, {dot.y.mean, missing, missing, 0});
    plot.lines.push_back(line);
  }
  plot.lines.push_back(front);
  plot.whole_steps = false;
  const auto figure = open_plot(out, y.title + way(y.better), "against " + x.title, group.heading);
  draw(out, plot);
}

}  // namespace

std::vector<FrontierGroup> frontier_groups(const std::vector<RunData>& runs, const Lineage& lineage,
                                           const Frontier& frontier) {
  std::vector<FrontierGroup> groups;
  std::vector<std::vector<size_t>> members;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (!value_of(runs[i], frontier.x).known() || !value_of(runs[i], frontier.y).known()) continue;
    const auto heading = runs[i].task == "evaluate" ? decoding_of(runs[i]) : runs[i].task;
    const auto same = [&](const FrontierGroup& group) { return group.heading == heading; };
    const size_t place = std::find_if(groups.begin(), groups.end(), same) - groups.begin();
    if (place == groups.size()) groups.push_back({heading, {}}), members.emplace_back();
    members[place].push_back(i);
  }
  for (size_t g = 0; g < groups.size(); ++g) {
    const auto kinds = run_groups(runs, lineage, members[g]);
    // If no kind has several runs, use each run's own interval; the two sorts of intervals are never mixed in a plot.
    const bool over_seeds = kinds.size() < members[g].size();
    const auto over = [&](const RunGroup& kind, const std::string& metric) {
      std::vector<double> means;
      for (const size_t run : kind.runs) means.push_back(value_of(runs[run], metric).mean);
      return over_seeds ? statistics::mean_interval(means) : value_of(runs[kind.runs[0]], metric);
    };
    for (const auto& kind : kinds)
      groups[g].dots.push_back({kind.label, kind.name, kind.style, over(kind, frontier.x), over(kind, frontier.y)});
    ring_front(groups[g].dots, metric_of(runs, frontier.x).better, metric_of(runs, frontier.y).better);
  }
  return groups;
}

void write_frontiers(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage,
                     const std::vector<Frontier>& frontiers) {
  if (frontiers.empty()) return;
  out.element(
      "p", {{"class", "how"}},
      "A dot is a run, or the mean of runs that differ only in their seeds. Crosses: 95 % intervals, over seeds "
      "if a dot has several, otherwise over prompts or dialogues. Ringed: the Pareto front of the means; where "
      "crosses overlap, another sample may change the front.");
  for (size_t i = 0; i < frontiers.size(); ++i) {
    const auto groups = frontier_groups(runs, lineage, frontiers[i]);
    if (groups.empty()) out.element("p", {}, fmt::format("No run has both {} and {}.", frontiers[i].x, frontiers[i].y));
    const auto x = metric_of(runs, frontiers[i].x), y = metric_of(runs, frontiers[i].y);
    {
      const auto grid = out.open("div", {{"class", "grid"}});
      for (size_t g = 0; g < groups.size(); ++g)
        write_plot(out, groups[g], x, y, fmt::format("frontier-{}-{}", i + 1, g + 1));
    }
    for (const auto& group : groups) write_table(out, group, x, y);
  }
}

}  // namespace compeer::report
