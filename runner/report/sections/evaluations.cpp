#include "report/sections/evaluations.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/comparing/compare.h"
#include "report/drawing/dot_plot.h"
#include "report/drawing/numbers.h"
#include "report/drawing/table.h"

namespace compeer::report {

namespace {

std::vector<const RunData*> members(const std::vector<RunData>& runs, const std::vector<size_t>& which) {
  std::vector<const RunData*> list;
  for (const size_t i : which) list.push_back(&runs[i]);
  return list;
}

/// Everything that is to be laid out, gathered once.
struct Evaluations {
  const std::vector<RunData>& runs;
  const Lineage& lineage;
  std::vector<EvaluationGroup> groups;
  std::vector<const RunData*> all;  ///< of all groups
};

std::vector<Estimate> estimates(const Evaluations& e, const std::string& metric) {
  std::vector<Estimate> list;
  for (const auto* run : e.all) list.push_back(run->estimate(metric));
  return list;
}

std::string direction(Better better) { return better == Better::higher ? " ↑" : better == Better::lower ? " ↓" : ""; }

/// What a screen reader is told instead of the dots.
std::string read_out(const Evaluations& e, const Metric& metric) {
  std::string text;
  const int decimals = column_decimals(estimates(e, metric.name));
  for (const auto& group : e.groups) {
    text += text.empty() ? group.heading + ":" : " " + group.heading + ":";
    for (size_t i = 0; i < group.runs.size() && i < 12; ++i)
      text +=
          fmt::format(" {} {};", group.labels[i], with_interval(e.runs[group.runs[i]].estimate(metric.name), decimals));
  }
  return text;
}

void write_dots(Markup& out, const Evaluations& e, const Metric& metric, size_t number) {
  DotPlot plot{fmt::format("dots-{}", number), metric.title + " of each evaluated run", read_out(e, metric), {}};
  for (const auto& group : e.groups) {
    DotGroup dots{e.groups.size() > 1 ? group.heading : "", {}};
    for (size_t i = 0; i < group.runs.size(); ++i) {
      const auto& run = e.runs[group.runs[i]];
      dots.rows.push_back({group.labels[i], run.name, e.lineage.style(group.runs[i]), run.estimate(metric.name)});
    }
    plot.groups.push_back(dots);
  }
  if (!has_values(plot)) return;
  const auto figure = out.open("figure", {{"class", "plot"}});
  {
    const auto caption = out.open("figcaption");
    out.element("strong", {}, metric.title + direction(metric.better));
    if (!metric.from.empty()) out.element("span", {{"class", "from"}}, metric.from);
    if (!metric.note.empty()) out.element("span", {{"class", "note"}}, metric.note);
  }
  draw(out, plot);
}

TableCell cell(const Estimate& estimate, int decimals, bool is_best) {
  TableCell cell{fixed(estimate.mean, decimals), "", is_best};
  if (estimate.has_interval())
    cell.below = fmt::format("{} to {}", fixed(estimate.low, decimals), fixed(estimate.high, decimals));
  return cell;
}

int64_t prompts(const RunData& run) {
  int64_t most = 0;
  for (const auto& [name, estimate] : run.summary) most = std::max(most, estimate.n);
  return most;
}

TableGroup rows_of(const Evaluations& e, const EvaluationGroup& group, const std::vector<Metric>& metrics) {
  TableGroup rows{e.groups.size() > 1 ? group.heading : "", {}};
  const auto list = members(e.runs, group.runs);
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string remark = list[i]->finished() ? "" : list[i]->state;
    rows.rows.push_back(
        {list[i]->name, remark, e.lineage.style(group.runs[i]), {{fixed(double(prompts(*list[i])), 0), ""}}});
  }
  for (const auto& metric : metrics) {
    const int decimals = column_decimals(estimates(e, metric.name));
    const auto marks = best(list, metric);
    for (size_t i = 0; i < list.size(); ++i)
      rows.rows[i].cells.push_back(cell(list[i]->estimate(metric.name), decimals, marks[i]));
  }
  return rows;
}

void write_table(Markup& out, const Evaluations& e, const std::string& caption, const std::vector<Metric>& metrics) {
  if (metrics.empty()) return;
  Table table{caption, "evaluation", {{"n", "prompts", "prompts that the intervals are over"}}, {}};
  for (const auto& metric : metrics)
    table.columns.push_back(
        {metric.title + direction(metric.better), metric.from, metric.note.empty() ? metric.name : metric.note});
  for (const auto& group : e.groups) table.groups.push_back(rows_of(e, group, metrics));
  write(out, table);
}

/// Runs that differ in their seeds alone: only where at least two are of a kind.
std::vector<std::vector<size_t>> repetitions(const Evaluations& e) {
  std::vector<std::vector<size_t>> kinds;
  std::map<std::string, size_t> places;
  for (const auto& group : e.groups) {
    for (const size_t run : group.runs) {
      const auto [place, is_new] = places.emplace(e.lineage.key(run), kinds.size());
      if (is_new) kinds.emplace_back();
      kinds[place->second].push_back(run);
    }
  }
  std::erase_if(kinds, [](const auto& kind) { return kind.size() < 2; });
  return kinds;
}

void write_over_seeds(Markup& out, const Evaluations& e, const std::vector<Metric>& metrics) {
  const auto kinds = repetitions(e);
  if (kinds.empty()) return;
  Table table{"Means over runs that differ in their seeds alone, with 95 % t intervals over the runs",
              "runs",
              {{"n", "runs", "runs of this kind"}},
              {{"", {}}}};
  for (const auto& kind : kinds) {
    std::string names = e.runs[kind.front()].name + " and " +
                        (kind.size() == 2 ? e.runs[kind[1]].name : fmt::format("{} more", kind.size() - 1));
    table.groups[0].rows.push_back({names,
                                    decoding_of(e.runs[kind.front()]),
                                    e.lineage.style(kind.front()),
                                    {{fixed(double(kind.size()), 0), ""}}});
  }
  for (const auto& metric : metrics) {
    std::vector<Estimate> means;
    for (const auto& kind : kinds) {
      std::vector<double> values;
      for (const size_t run : kind) values.push_back(e.runs[run].estimate(metric.name).mean);
      means.push_back(statistics::mean_interval(values));
    }
    table.columns.push_back({metric.title + direction(metric.better), metric.from, metric.note});
    for (size_t i = 0; i < kinds.size(); ++i)
      table.groups[0].rows[i].cells.push_back(cell(means[i], column_decimals(means), false));
  }
  write(out, table);
}

/// The dots show the headline, with the reward itself first where that is something else.
std::vector<Metric> plotted(const Evaluations& e) {
  auto metrics = headline(e.all);
  const bool has_reward =
      std::any_of(e.all.begin(), e.all.end(), [](const auto* run) { return run->estimate("reward").known(); });
  const bool shown =
      std::any_of(metrics.begin(), metrics.end(), [](const Metric& metric) { return metric.name == "reward"; });
  if (has_reward && !shown) metrics.insert(metrics.begin(), describe("reward"));
  return metrics;
}

std::string reading(const Evaluations& e) {
  const bool compared =
      std::any_of(e.groups.begin(), e.groups.end(), [](const auto& group) { return group.runs.size() > 1; });
  std::string text = "Dots are means, lines their 95 % intervals over prompts";
  if (compared) text += "; the grey band is the interval of the first row of its group";
  text += ". ↑ and ↓ say which way is better, where that is known. ";
  if (compared)
    text +=
        "In the tables, bold marks the best of a group and whatever can't be told from it; nothing is marked where "
        "nothing can be told apart.";
  return text;
}

}  // namespace

void write_evaluations(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage) {
  Evaluations e{runs, lineage, evaluation_groups(runs, lineage), {}};
  if (e.groups.empty()) return;
  for (const auto& group : e.groups) {
    const auto list = members(runs, group.runs);
    e.all.insert(e.all.end(), list.begin(), list.end());
  }
  if (e.all.size() > 1) out.element("p", {{"class", "how"}}, reading(e));
  if (e.all.size() > 1) {
    const auto grid = out.open("div", {{"class", "grid"}});
    size_t number = 0;
    for (const auto& metric : plotted(e)) write_dots(out, e, metric, ++number);
  }
  std::vector<Metric> rewards, rest;
  for (const auto& metric : metrics_of(e.all)) {
    const auto values = estimates(e, metric.name);
    const bool any = std::any_of(values.begin(), values.end(), [](const Estimate& value) { return value.known(); });
    if (!any || metric.topic == Topic::timing || metric.topic == Topic::optimisation) continue;
    (metric.topic == Topic::reward ? rewards : rest).push_back(metric);
  }
  write_table(out, e, "Reward and its parts", rewards);
  write_table(out, e, "Redundancy, diversity, length", rest);
  write_over_seeds(out, e, plotted(e));
}

}  // namespace compeer::report
