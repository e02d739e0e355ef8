#include "report/sections/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/comparing/trial_figures.h"
#include "report/drawing/numbers.h"
#include "report/drawing/table.h"
#include "report/runs/figures.h"
#include "report/runs/metrics.h"
#include "report/sections/trial_curves.h"
#include "report/sections/trial_shares.h"

namespace compeer::report {

namespace {

std::string arrow(Better better) { return better == Better::higher ? " ↑" : better == Better::lower ? " ↓" : ""; }

TableCell cell(const Estimate& figure, int decimals, const Standing& standing) {
  TableCell made{(standing.level ? "≈ " : "") + fixed(figure.mean, decimals), "", standing.best, standing.second};
  if (figure.has_interval())
    made.below = fmt::format("{} to {}", fixed(figure.low, decimals), fixed(figure.high, decimals));
  return made;
}

bool counts(const std::vector<Estimate>& all) {
  return std::all_of(all.begin(), all.end(), [](const Estimate& e) {
    return !e.known() || (!e.has_interval() && e.mean == std::floor(e.mean));
  });
}

/// Adds a column of figures to the rows of a table that has one for each kind.
void add_column(const std::vector<RunData>& runs, const TrialGroup& group, const std::string& path,
                std::vector<TableRow>& rows) {
  const auto all = figures(runs, group, path);
  const auto marks = standings(runs, group, path);
  const int decimals = counts(all) ? 0 : column_decimals(all);
  for (size_t i = 0; i < rows.size(); ++i) rows[i].cells.push_back(cell(all[i], decimals, marks[i]));
}

int64_t sum(const std::vector<RunData>& runs, const TrialKind& kind, int64_t StageData::*count) {
  int64_t all = 0;
  for (const auto& place : kind.trials) all += runs[place.run].stages[place.stage].*count;
  return all;
}

std::vector<TableRow> rows_of(const std::vector<RunData>& runs, const TrialGroup& group, bool counted = true) {
  std::vector<TableRow> rows;
  for (const auto& kind : group.kinds) {
    rows.push_back({kind.label, kind.subject, kind.style, {}});
    if (kind.trials.size() > 1) rows.back().head += fmt::format(" ({} seeds)", kind.trials.size());
    if (!counted) continue;
    const auto in = sum(runs, kind, &StageData::in), left_out = sum(runs, kind, &StageData::left_out);
    rows.back().cells.push_back(
        {fixed(double(in - left_out), 0), left_out > 0 ? fmt::format("{} not scored", left_out) : ""});
  }
  return rows;
}

/// The paper's table: a row for each model, its columns in their order.
void write_columns_table(Markup& out, const std::vector<RunData>& runs, const TrialGroup& group) {
  Table table{group.plugin + ": what each model came to",
              "model",
              {{"n", "records", "records that were scored, over all seeds"}},
              {{"", rows_of(runs, group)}}};
  for (size_t i = 0; i < group.columns.size(); ++i) {
    const auto& name = group.columns[i];
    table.columns.push_back({group.titles[i] + arrow(group.better(name)), "", name});
    add_column(runs, group, name, table.groups[0].rows);
  }
  write(out, table);
}

/// Paths of all figures that are not in the paper's table, split into what is measured and by which measure:
/// "reply/weighted_f1" -> "reply", "weighted_f1".
std::map<std::string, std::vector<std::string>> other_figures(const std::vector<RunData>& runs,
                                                              const TrialGroup& group) {
  std::set<std::string> paths;
  for (const auto& kind : group.kinds) {
    for (const auto& place : kind.trials) {
      for (const auto& [path, figure] : figures_of(runs[place.run].stages[place.stage].findings)) paths.insert(path);
    }
  }
  std::map<std::string, std::vector<std::string>> topics;
  for (const auto& path : paths) {
    const bool shown = std::find(group.columns.begin(), group.columns.end(), path) != group.columns.end();
    if (shown || (path == "n" && !group.columns.empty())) continue;
    const size_t slash = path.rfind('/');
    topics[slash == std::string::npos ? "" : path.substr(0, slash)].push_back(path);
  }
  return topics;
}

/// One table of the measures of all topics; topics that have other measures than the rest leave places empty.
void write_topics(Markup& out, const std::vector<RunData>& runs, const TrialGroup& group,
                  const std::map<std::string, std::vector<std::string>>& topics, const std::string& caption) {
  std::vector<std::string> measures;
  for (const auto& [topic, paths] : topics) {
    for (const auto& path : paths) {
      const auto measure = path.substr(topic.empty() ? 0 : topic.size() + 1);
      if (std::find(measures.begin(), measures.end(), measure) == measures.end()) measures.push_back(measure);
    }
  }
  std::stable_partition(measures.begin(), measures.end(), [](const std::string& name) { return name == "n"; });
  Table table{caption, "model", {}, {}};
  for (const auto& name : measures) table.columns.push_back({spaced(name) + arrow(group.better(name)), "", name});
  for (const auto& [topic, paths] : topics) {
    TableGroup rows{spaced(topic), rows_of(runs, group, false)};
    for (const auto& name : measures) add_column(runs, group, topic.empty() ? name : topic + "/" + name, rows.rows);
    table.groups.push_back(rows);
  }
  write(out, table);
}

/// What was dropped, and what the findings call invalid: reasons down, models across.
void write_unscored(Markup& out, const std::vector<RunData>& runs, const TrialGroup& group) {
  std::map<std::string, std::vector<double>> reasons;
  for (size_t i = 0; i < group.kinds.size(); ++i) {
    const auto add = [&](const std::string& reason, double count) {
      auto& counts = reasons[reason];
      counts.resize(group.kinds.size());
      counts[i] += count;
    };
    for (const auto& place : group.kinds[i].trials) {
      const auto& stage = runs[place.run].stages[place.stage];
      for (const auto& [reason, count] : stage.dropped) add(reason, static_cast<double>(count));
      for (const auto& [reason, count] : invalid_scores(stage)) add(reason, count);
    }
  }
  std::erase_if(reasons, [](const auto& reason) {
    return std::all_of(reason.second.begin(), reason.second.end(), [](double count) { return count == 0; });
  });
  if (reasons.empty()) return;
  Table table{group.plugin + ": what was not scored, and why", "reason", {}, {{"", {}}}};
  for (const auto& kind : group.kinds) table.columns.push_back({kind.label, "", kind.name});
  for (const auto& [reason, counts] : reasons) {
    TableRow row{reason, "", {}, {}};
    for (const double count : counts) row.cells.push_back({fixed(count, 0), ""});
    table.groups[0].rows.push_back(row);
  }
  write(out, table);
}

void write_seeds(Markup& out, const std::vector<RunData>& runs, const TrialGroup& group) {
  const auto several = [](const TrialKind& kind) { return kind.trials.size() > 1; };
  if (std::none_of(group.kinds.begin(), group.kinds.end(), several)) return;
  TrialGroup apart = group;
  apart.kinds.clear();
  for (const auto& kind : group.kinds) {
    for (const auto& place : kind.trials) {
      apart.kinds.push_back(kind);
      apart.kinds.back().trials = {place};
      apart.kinds.back().label = runs[place.run].name;
    }
  }
  const auto details = out.open("details", {{"class", "figures"}});
  out.element("summary", {}, "Each run by itself");
  Table table{group.plugin + ": each run by itself", "run", {{"n", "records", ""}}, {{"", rows_of(runs, apart)}}};
  for (size_t c = 0; c < group.columns.size(); ++c) {
    const auto& name = group.columns[c];
    const auto all = figures(runs, apart, name);
    table.columns.push_back({group.titles[c] + arrow(group.better(name)), "", name});
    for (size_t i = 0; i < all.size(); ++i)
      table.groups[0].rows[i].cells.push_back(cell(all[i], column_decimals(all), {}));
  }
  write(out, table);
}

void write_group(Markup& out, const std::vector<RunData>& runs, const TrialGroup& group, size_t number) {
  out.element("h3", {}, group.heading);
  if (!group.particulars.empty() && group.heading.find(group.particulars) == std::string::npos)
    out.element("p", {{"class", "how"}}, "Apart from others of its kind by: " + group.particulars);
  if (!group.columns.empty()) write_columns_table(out, runs, group);
  const auto others = other_figures(runs, group);
  if (group.columns.empty()) write_topics(out, runs, group, others, group.plugin + ": what each model came to");
  write_unscored(out, runs, group);
  write_trial_shares(out, runs, group, fmt::format("trial-{}-shares", number));
  write_trial_curves(out, runs, group, fmt::format("trial-{}", number));
  if (group.columns.empty()) return;
  write_seeds(out, runs, group);
  if (others.empty()) return;
  const auto details = out.open("details", {{"class", "figures"}});
  out.element("summary", {}, "All other figures");
  write_topics(out, runs, group, others, group.plugin + ": all other figures");
}

}  // namespace

void write_trials(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage) {
  const auto groups = trial_groups(runs, lineage);
  if (groups.empty()) return;
  out.element("p", {{"class", "how"}},
              "Figures have the 95 % interval that the stage found for them, over dialogues. Runs that differ in their "
              "seeds alone are one row: their mean, with a 95 % t interval over the runs. Rows whose runs went through "
              "the same "
              "tests are compared test by test. Bold: the best mean of a "
              "column; underlined: the second best; ≈: can't be told from the best. ↑ and ↓ say "
              "which way is better. What could not be scored is in no mean; it is counted below each table.");
  for (size_t i = 0; i < groups.size(); ++i) write_group(out, runs, groups[i], i + 1);
}

}  // namespace compeer::report
