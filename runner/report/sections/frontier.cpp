#include "report/sections/frontier.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/comparing/subject.h"
#include "report/drawing/numbers.h"
#include "report/drawing/table.h"
#include "report/runs/figures.h"
#include "report/runs/metrics.h"

namespace compeer::report {

namespace {

/// "01-sage/mean_emotion/value" -> the stage, and "mean_emotion"; no stage for any other metric.
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

/// With its interval, as a stage has found it; any other metric as the summary has it.
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
    metric.better = better_of(ways_of(stage->findings), path);
    return metric;
  }
  return describe(name);
}

bool better(double a, double b, Better way) { return way == Better::lower ? a < b : a > b; }

void ring_front(std::vector<ScatterDot>& dots, Better x, Better y) {
  for (auto& dot : dots) {
    const auto beats = [&](const ScatterDot& other) {
      const bool no_worse = !better(dot.x.mean, other.x.mean, x) && !better(dot.y.mean, other.y.mean, y);
      return no_worse && (better(other.x.mean, dot.x.mean, x) || better(other.y.mean, dot.y.mean, y));
    };
    dot.ringed = std::none_of(dots.begin(), dots.end(), beats);
  }
}

std::string group_of(const RunData& run) { return run.task == "evaluate" ? decoding_of(run) : run.task; }

/// Over the runs of a kind. Where no kind has several, a run's own interval; the two are never in one plot.
Interval mean_over(const std::vector<RunData>& runs, const std::vector<size_t>& kind, const std::string& metric,
                   bool over_seeds) {
  if (!over_seeds) return value_of(runs[kind[0]], metric);
  std::vector<double> means;
  for (const size_t run : kind) means.push_back(value_of(runs[run], metric).mean);
  return statistics::mean_interval(means);
}

struct Kinds {
  std::string heading;
  std::vector<std::vector<size_t>> runs;
};

std::vector<Kinds> kinds_of(const std::vector<RunData>& runs, const Lineage& lineage, const Frontier& frontier) {
  std::vector<Kinds> groups;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (!value_of(runs[i], frontier.x).known() || !value_of(runs[i], frontier.y).known()) continue;
    const auto heading = group_of(runs[i]);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Kinds& k) { return k.heading == heading; });
    if (group == groups.end()) group = groups.insert(groups.end(), Kinds{heading, {}});
    const auto same = [&](const auto& kind) { return lineage.key(kind.front()) == lineage.key(i); };
    auto kind = std::find_if(group->runs.begin(), group->runs.end(), same);
    if (kind == group->runs.end()) kind = group->runs.insert(group->runs.end(), std::vector<size_t>());
    kind->push_back(i);
  }
  return groups;
}

void write_table(Markup& out, const FrontierGroup& group, const Metric& x, const Metric& y) {
  PageTable table{group.heading + ": " + y.title + " and " + x.title, "runs", {}, {{"", {}}}};
  std::vector<Interval> xs, ys;
  for (const auto& dot : group.dots) xs.push_back(dot.x), ys.push_back(dot.y);
  table.columns = {{x.title, x.from, x.name}, {y.title, y.from, y.name}, {"on the front", "", "", false}};
  for (const auto& dot : group.dots) {
    table.groups[0].rows.push_back({dot.name,
                                    "",
                                    dot.style,
                                    {interval_cell(dot.x, column_decimals(xs)),
                                     interval_cell(dot.y, column_decimals(ys)),
                                     {dot.ringed ? "yes" : "no", ""}}});
  }
  write(out, table);
}

std::string way(Better better) { return better == Better::lower ? " (lower is better)" : " (higher is better)"; }

void write_plot(Markup& out, const FrontierGroup& group, const Metric& x, const Metric& y, const std::string& id) {
  ScatterPlot plot{id,      fmt::format("{} against {}, {}", y.title, x.title, group.heading),
                   "",      x.title + way(x.better),
                   y.title, group.dots};
  for (const auto& dot : group.dots)
    plot.description += fmt::format("{}: {} {}, {} {}{}; ", dot.name, x.title, compact(dot.x.mean), y.title,
                                    compact(dot.y.mean), dot.ringed ? ", on the front" : "");
  const auto figure = out.open("figure", {{"class", "plot scatter"}});
  {
    const auto caption = out.open("figcaption");
    out.element("strong", {}, y.title + way(y.better));
    out.element("span", {{"class", "from"}}, "against " + x.title);
    out.element("span", {{"class", "note"}}, group.heading);
  }
  draw(out, plot);
}

}  // namespace

std::vector<FrontierGroup> frontier_groups(const std::vector<RunData>& runs, const Lineage& lineage,
                                           const Frontier& frontier) {
  std::vector<FrontierGroup> groups;
  for (const auto& kinds : kinds_of(runs, lineage, frontier)) {
    FrontierGroup group{kinds.heading, {}};
    std::vector<std::string> names;
    const bool over_seeds =
        std::any_of(kinds.runs.begin(), kinds.runs.end(), [](const auto& kind) { return kind.size() > 1; });
    for (const auto& kind : kinds.runs) {
      std::vector<std::string> of_runs;
      for (const size_t run : kind) of_runs.push_back(runs[run].name);
      names.push_back(common_start(of_runs));
      const auto seeds = kind.size() > 1 ? fmt::format(" ({} seeds)", kind.size()) : "";
      group.dots.push_back({"", names.back() + seeds, lineage.style(kind.front()),
                            mean_over(runs, kind, frontier.x, over_seeds),
                            mean_over(runs, kind, frontier.y, over_seeds), false});
    }
    const auto labels = short_labels(names);
    for (size_t i = 0; i < labels.size(); ++i) group.dots[i].label = labels[i];
    ring_front(group.dots, metric_of(runs, frontier.x).better, metric_of(runs, frontier.y).better);
    groups.push_back(group);
  }
  return groups;
}

void write_frontiers(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage,
                     const std::vector<Frontier>& frontiers) {
  if (frontiers.empty()) return;
  out.element("p", {{"class", "how"}},
              "Each dot is a run, or the mean of runs that differ in their seeds alone; crosses are 95 % intervals, "
              "over seeds where a dot has several (a single run beside those has none), else over prompts or "
              "dialogues. Ringed and "
              "joined are the dots that no other beats in both metrics (the Pareto front), by their means alone: where "
              "crosses overlap, another sample may put other dots there.");
  for (size_t i = 0; i < frontiers.size(); ++i) {
    const auto groups = frontier_groups(runs, lineage, frontiers[i]);
    if (groups.empty()) out.element("p", {}, fmt::format("No run has both {} and {}.", frontiers[i].x, frontiers[i].y));
    const auto x = metric_of(runs, frontiers[i].x), y = metric_of(runs, frontiers[i].y);
    for (size_t g = 0; g < groups.size(); ++g) {
      write_plot(out, groups[g], x, y, fmt::format("frontier-{}-{}", i + 1, g + 1));
      write_table(out, groups[g], x, y);
    }
  }
}

}  // namespace compeer::report
