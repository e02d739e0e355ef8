#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "report/drawing/numbers.h"
#include "report/sections/evaluation_parts.h"
#include "report/sections/sections.h"

namespace compeer::report {

namespace {

using Groups = std::vector<EvaluationGroup>;

std::vector<const RunData*> members(const std::vector<RunData>& runs, const Groups& groups) {
  std::vector<const RunData*> list;
  for (const auto& group : groups) {
    for (const auto& candidate : group.candidates) list.push_back(&runs[candidate.evaluations.front().run]);
  }
  return list;
}

/// The dots show the headline, with the reward itself first where that is something else.
std::vector<Metric> plotted(const std::vector<const RunData*>& runs) {
  auto metrics = headline(runs);
  const bool has_reward =
      std::any_of(runs.begin(), runs.end(), [](const auto* run) { return run->estimate("reward").known(); });
  const bool shown =
      std::any_of(metrics.begin(), metrics.end(), [](const Metric& metric) { return metric.name == "reward"; });
  if (has_reward && !shown) metrics.insert(metrics.begin(), describe("reward"));
  return metrics;
}

/// How tables are read; the same rules for all of them.
void write_reading(Markup& out, bool stages) {
  std::string text =
      "Intervals of one evaluation are over its prompts or dialogues. Runs that differ in their seeds alone are one "
      "row: "
      "their mean, with a 95 % t interval over the runs. Bold: the best mean of a column in its group; underlined: the "
      "second best; ≈: can't be told from the best. Rows that went through the same prompts or tests are compared one "
      "by one of these. ↑ and ↓ say which way is better, where that is known.";
  if (stages) text += " What could not be scored is in no mean; it is counted below each table.";
  out.element("p", {{"class", "how"}}, text);
}

void write_of_runs(Markup& out, const std::vector<RunData>& runs, const Groups& groups, const Groups& over_seeds) {
  const auto all = members(runs, groups);
  FigureTable rewards{"Reward and its parts", "evaluation", {}, {}, "prompts"}, rest = rewards, means = rewards;
  rest.caption = "Redundancy, diversity, length";
  for (const auto& metric : metrics_of(all)) {
    const bool any = std::any_of(all.begin(), all.end(), [&](auto* run) { return run->estimate(metric.name).known(); });
    if (!any || metric.topic == Topic::timing || metric.topic == Topic::optimisation) continue;
    (metric.topic == Topic::reward ? rewards : rest).metrics.push_back(metric);
  }
  means.caption = "Means over runs that differ in their seeds alone, with 95 % t intervals over the runs";
  means.metrics = plotted(all);
  for (const auto& group : groups) rewards.rows.push_back({group.heading, &group});
  for (const auto& group : over_seeds) means.rows.push_back({group.heading, &group});
  rest.rows = rewards.rows;
  for (const auto* table : {&rewards, &rest, &means}) write(out, runs, *table);
}

/// Metrics of all figures that are not in the paper's table, by what is measured: "reply/weighted_f1" is "weighted_f1"
/// of "reply".
std::map<std::string, std::set<std::string>> other_figures(const std::vector<RunData>& runs,
                                                           const EvaluationGroup& group) {
  std::map<std::string, std::set<std::string>> topics;
  for (const auto& candidate : group.candidates) {
    for (const auto& one : candidate.evaluations) {
      for (const auto& [path, figure] : figures_of(runs[one.run].stages[one.stage].findings)) {
        const auto same = [&, &path = path](const Metric& column) { return column.name == path; };
        const bool shown = std::any_of(group.columns.begin(), group.columns.end(), same);
        if (shown || (path == "n" && !group.columns.empty())) continue;
        const size_t slash = path.rfind('/');
        topics[slash == path.npos ? "" : path.substr(0, slash)].insert(path.substr(slash + 1));
      }
    }
  }
  return topics;
}

/// One table of the metrics of all topics; topics that have other metrics than the rest leave places empty.
FigureTable by_topic(const EvaluationGroup& group, const std::map<std::string, std::set<std::string>>& topics,
                     const std::string& caption) {
  FigureTable table{caption, "model", {}, {}};
  std::vector<std::string> names;
  for (const auto& [topic, of_topic] : topics) {
    table.rows.push_back({spaced(topic), &group, topic});
    for (const auto& name : of_topic) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  std::stable_partition(names.begin(), names.end(), [](const std::string& name) { return name == "n"; });
  for (const auto& name : names) table.metrics.push_back(group.metric(name));
  return table;
}

/// What was dropped, and what the findings call invalid: reasons down, candidates across.
void write_unscored(Markup& out, const std::vector<RunData>& runs, const EvaluationGroup& group) {
  std::map<std::string, std::vector<double>> reasons;
  for (size_t i = 0; i < group.candidates.size(); ++i) {
    const auto add = [&](const std::string& reason, double count) {
      auto& counts = reasons[reason];
      counts.resize(group.candidates.size());
      counts[i] += count;
    };
    for (const auto& one : group.candidates[i].evaluations) {
      const auto& stage = runs[one.run].stages[one.stage];
      for (const auto& [reason, count] : stage.dropped) add(reason, static_cast<double>(count));
      for (const auto& [reason, count] : invalid_scores(stage)) add(reason, count);
    }
  }
  std::erase_if(reasons, [](const auto& reason) {
    return std::all_of(reason.second.begin(), reason.second.end(), [](double count) { return count == 0; });
  });
  if (reasons.empty()) return;
  PageTable table{group.plugin + ": what was not scored, and why", "reason", {}, {{"", {}}}};
  for (const auto& candidate : group.candidates) table.columns.push_back({candidate.label, "", candidate.name});
  for (const auto& [reason, counts] : reasons) {
    TableRow row{reason, "", {}, {}};
    for (const double count : counts) row.cells.push_back({fixed(count, 0), ""});
    table.groups[0].rows.push_back(row);
  }
  write(out, table);
}

void write_folded(Markup& out, const std::vector<RunData>& runs, const std::string& summary, const FigureTable& table) {
  const auto details = out.open("details", {{"class", "figures"}});
  out.element("summary", {}, summary);
  write(out, runs, table);
}

/// `apart`: the same evaluations, each by itself.
void write_of_stages(Markup& out, const std::vector<RunData>& runs, const EvaluationGroup& group,
                     const EvaluationGroup& apart, size_t number) {
  out.element("h3", {}, group.heading);
  if (!group.particulars.empty() && group.heading.find(group.particulars) == std::string::npos)
    out.element("p", {{"class", "how"}}, "Apart from others of its kind by: " + group.particulars);
  const auto main = group.plugin + ": what each model came to";
  const auto others = other_figures(runs, group);
  write(out, runs,
        group.columns.empty() ? by_topic(group, others, main)
                              : FigureTable{main, "model", group.columns, {{"", &group}}, "records"});
  write_unscored(out, runs, group);
  write_shares(out, runs, group, fmt::format("stage-{}-shares", number));
  write_rounds(out, runs, group, fmt::format("stage-{}", number));
  if (group.columns.empty()) return;
  if (apart.candidates.size() > group.candidates.size())
    write_folded(out, runs, "Each run by itself",
                 {group.plugin + ": each run by itself", "run", group.columns, {{"", &apart}}, "records", false});
  if (!others.empty())
    write_folded(out, runs, "All other figures", by_topic(group, others, group.plugin + ": all other figures"));
}

}  // namespace

void write_picture(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage) {
  const auto groups = run_evaluations(runs, lineage, Seeds::apart);
  const auto all = members(runs, groups);
  if (all.size() < 2) return;
  {
    const auto grid = out.open("div", {{"class", "grid"}});
    size_t number = 0;
    for (const auto& metric : plotted(all)) write_dots(out, runs, groups, metric, fmt::format("dots-{}", ++number));
  }
  out.element(
      "p", {{"class", "how"}},
      "Dots are means, lines their 95 % intervals; the grey band is the interval of the first row of its group.");
}

void write_evaluations(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage) {
  const auto of_runs = run_evaluations(runs, lineage, Seeds::apart);
  auto over_seeds = run_evaluations(runs, lineage, Seeds::together);
  for (auto& group : over_seeds)
    std::erase_if(group.candidates, [](const Candidate& candidate) { return candidate.evaluations.size() < 2; });
  std::erase_if(over_seeds, [](const EvaluationGroup& group) { return group.candidates.empty(); });
  const auto of_stages = stage_evaluations(runs, lineage, Seeds::together);
  const auto apart = stage_evaluations(runs, lineage, Seeds::apart);
  if (members(runs, of_runs).size() > 1 || !of_stages.empty()) write_reading(out, !of_stages.empty());
  if (!of_runs.empty()) write_of_runs(out, runs, of_runs, over_seeds);
  for (size_t i = 0; i < of_stages.size(); ++i) write_of_stages(out, runs, of_stages[i], apart[i], i + 1);
}

}  // namespace compeer::report
