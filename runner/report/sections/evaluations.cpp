// The section of evaluations: for each group plots of its headline, differences, and tables.
#include "report/comparing/evaluations.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "report/drawing/plots.h"
#include "report/drawing/table.h"
#include "report/sections/sections.h"

namespace compeer::report {

namespace {

using nlohmann::json;

constexpr size_t most_pairs = 12;  ///< with more pairs than this, no differences are shown

std::string arrow(Better better) { return better == Better::higher ? " ↑" : better == Better::lower ? " ↓" : ""; }

/// Writes the parts of the section for one group.
class GroupSection {
 public:
  GroupSection(Markup& out, const EvaluationGroup& group, const std::string& id) : out_(out), group_(group), id_(id) {}

  void dots() const;
  void differences() const;
  void shares() const;
  void rounds() const;
  void unscored() const;

  /// Writes a row for each candidate within each topic, with the figures "TOPIC/METRIC", or "METRIC" if the topic is
  /// "". If `marked`, marks the best candidate, the second best, and those not significantly different from the best.
  void table(const std::string& caption, const std::vector<Metric>& metrics,
             const std::vector<std::string>& topics = {""}, bool marked = true) const;

  /// Returns the figures that are not among the group's columns: topic -> metrics. "reply/weighted_f1" is "weighted_f1"
  /// of "reply".
  std::map<std::string, std::set<std::string>> other_figures() const;
  void table_of(const std::string& caption, const std::map<std::string, std::set<std::string>>& topics) const;

 private:
  TableRow row(const Candidate& candidate) const;
  void column(PageTable& table, size_t first_row, const Metric& metric, const std::string& topic, bool marked) const;
  std::vector<Interval> curve(const Candidate& candidate, const std::string& name) const;

  Markup& out_;
  const EvaluationGroup& group_;
  std::string id_;
};

void GroupSection::dots() const {
  if (group_.candidates.size() < 2) return;
  const auto grid = out_.open("div", {{"class", "grid"}});
  size_t number = 0;
  for (const auto& metric : group_.headline) {
    DotPlot plot{fmt::format("{}-dots-{}", id_, ++number), metric.title, {{"", {}}}};
    for (const auto& candidate : group_.candidates)
      plot.groups[0].rows.push_back(
          {candidate.label, candidate.name, candidate.style, figure_of(candidate, metric.name)});
    if (!has_values(plot)) continue;
    const auto figure = open_plot(out_, metric.title + arrow(metric.better), metric.from,
                                  metric.note == metric.name ? "" : metric.note);
    draw(out_, plot);
  }
}

std::string verdict(const MeanDifference& d) {
  if (!d.known()) return "no interval";
  if (d.none()) return "equal";
  return !d.is_significant() ? "no clear difference" : d.low > 0 ? "higher" : "lower";
}

void GroupSection::differences() const {
  const auto& pairs = group_.comparisons;
  if (pairs.empty() || pairs.size() > most_pairs) return;
  PageTable table{"Differences, with 95 % intervals",
                  "metric",
                  {{"models", "", "", false},
                   {"first"},
                   {"second"},
                   {"difference"},
                   {"second is", "", "higher or lower only if the interval of the difference excludes zero", false}}};
  for (const auto& metric : group_.headline) {
    const auto all = figures(group_, metric.name);
    const int decimals = column_decimals(all);
    for (const auto& [first, second] : pairs) {
      const auto &a = group_.candidates[first], &b = group_.candidates[second];
      const auto d = difference(a, b, metric.name);
      if (std::isnan(d.value)) continue;
      const auto interval = fmt::format("{} to {}", fixed_signed(d.low, decimals), fixed_signed(d.high, decimals));
      const auto unit = group_.plugin.empty() && a.evaluations.size() == 1 ? "prompt by prompt" : "test by test";
      table.groups[0].rows.push_back({metric.title,
                                      metric.from,
                                      {},
                                      {{a.label + " → " + b.label, ""},
                                       interval_cell(all[first], decimals),
                                       interval_cell(all[second], decimals),
                                       {fixed_signed(d.value, decimals), d.known() ? interval : "", d.is_significant()},
                                       {verdict(d), d.paired ? unit : ""}}});
    }
  }
  if (!table.groups[0].rows.empty()) write(out_, table);
}

/// Draws the findings' `shares`: figures that sum to one within each topic ("win", "tie", "lose" of "a vs b").
void GroupSection::shares() const {
  DotPlot plot{id_ + "-shares", group_.heading + ", in shares", {}, false};
  for (const auto& candidate : group_.candidates) {
    const json& found = candidate.evaluations.front().stage_data().findings;
    std::vector<std::string> names;
    for (const auto& name : found.value("shares", json::array())) {
      if (name.is_string()) names.push_back(name);
    }
    std::set<std::string> topics;
    for (const auto& [path, figure] : figures_of(found)) {
      if (!names.empty() && path.ends_with("/" + names[0]))
        topics.insert(path.substr(0, path.size() - names[0].size() - 1));
    }
    for (const auto& topic : topics) {
      DotGroup dots{group_.candidates.size() == 1 ? topic : topic + ", " + candidate.label, {}};
      for (size_t i = 0; i < names.size(); ++i)
        dots.rows.push_back({names[i], names[i], i, figure_of(candidate, topic + "/" + names[i])});
      plot.groups.push_back(dots);
    }
  }
  if (!has_values(plot)) return;
  const auto figure = open_plot(out_, "shares", group_.plugin, "of all comparisons");
  draw(out_, plot);
}

/// Returns the curve called `name`: a figure per round; the mean over several evaluations.
std::vector<Interval> GroupSection::curve(const Candidate& candidate, const std::string& name) const {
  std::vector<std::vector<Interval>> all;
  size_t rounds = 0;
  for (const auto& one : candidate.evaluations) {
    const json curves = one.stage_data().findings.value("curves", json());
    if (!curves.is_object() || !curves.contains(name) || !curves[name].is_array()) continue;
    all.emplace_back();
    for (const json& round : curves[name]) {
      const auto figures = figures_of({{"round", round}});
      const auto found = figures.find("round");
      all.back().push_back(found == figures.end() ? Interval{} : found->second);
    }
    rounds = std::max(rounds, all.back().size());
  }
  if (all.size() == 1) return all[0];
  std::vector<Interval> mean;
  for (size_t i = 0; i < rounds; ++i) {
    std::vector<double> values;
    for (const auto& one : all) values.push_back(i < one.size() ? one[i].mean : missing);
    mean.push_back(statistics::mean_interval(values));
  }
  return mean;
}

/// Draws the curves of the findings, over rounds of a dialogue.
void GroupSection::rounds() const {
  std::set<std::string> names;
  for (const auto& candidate : group_.candidates) {
    for (const auto& one : candidate.evaluations) {
      const json curves = one.stage_data().findings.value("curves", json());
      if (!curves.is_object()) continue;
      for (const auto& [name, curve_of_name] : curves.items()) names.insert(name);
    }
  }
  size_t number = 0;
  for (const auto& name : names) {
    LinePlot plot{fmt::format("{}-curve-{}", id_, ++number), group_.plugin + ": " + name + " over rounds", "round", {}};
    for (const auto& candidate : group_.candidates) {
      PlotLine line{candidate.label, candidate.name, candidate.style, {}, {}, {}};
      const auto all = curve(candidate, name);
      for (size_t i = 0; i < all.size(); ++i) add_point(line, static_cast<double>(i), all[i]);
      if (!line.heavy.y.empty()) plot.lines.push_back(line);
    }
    if (!has_values(plot)) continue;
    plot.labels = group_.candidates.size() > 1;
    const auto figure = open_plot(out_, name, group_.plugin, "over rounds; bands are 95 % intervals");
    draw(out_, plot);
  }
}

/// Writes the numbers of dropped records and invalid scores: reasons down, candidates across.
void GroupSection::unscored() const {
  std::map<std::string, std::vector<double>> reasons;
  for (size_t i = 0; i < group_.candidates.size(); ++i) {
    const auto add = [&](const std::string& reason, double count) {
      if (count == 0) return;
      auto& counts = reasons[reason];
      counts.resize(group_.candidates.size());
      counts[i] += count;
    };
    for (const auto& one : group_.candidates[i].evaluations) {
      const auto& stage = one.stage_data();
      for (const auto& [reason, count] : stage.dropped) add(reason, static_cast<double>(count));
      for (const auto& [reason, count] : invalid_scores(stage)) add(reason, count);
    }
  }
  if (reasons.empty()) return;
  PageTable table{group_.plugin + ": records without a score, by reason", "reason"};
  for (const auto& candidate : group_.candidates) table.columns.push_back({candidate.label, "", candidate.name});
  for (const auto& [reason, counts] : reasons) {
    TableRow row{reason};
    for (const double count : counts) row.cells.push_back({fixed(count, 0)});
    table.groups[0].rows.push_back(row);
  }
  write(out_, table);
}

/// Returns the head of a candidate's row: its name, subject and state, and the number of records or prompts scored.
TableRow GroupSection::row(const Candidate& candidate) const {
  const auto& first = *candidate.evaluations.front().data;
  const size_t seeds = candidate.evaluations.size();
  auto below = candidate.subject;
  if (seeds == 1 && !first.finished()) below += (below.empty() ? "" : ", ") + first.state;
  int64_t all = 0, left_out = 0;
  for (const auto& one : candidate.evaluations) {
    int64_t prompts = 0;
    for (const auto& [name, figure] : one.figures) prompts = std::max(prompts, figure.n);
    all += one.stage > 0 ? one.stage_data().in - one.stage_data().left_out : prompts;
    left_out += one.stage > 0 ? one.stage_data().left_out : 0;
  }
  return {seeds > 1 ? fmt::format("{} ({} seeds)", candidate.label, seeds) : candidate.name,
          below,
          candidate.style,
          {{fixed(double(all), 0), left_out > 0 ? fmt::format("{} not scored", left_out) : ""}}};
}

void GroupSection::column(PageTable& table, size_t group, const Metric& metric, const std::string& topic,
                          bool marked) const {
  const auto path = topic.empty() ? metric.name : topic + "/" + metric.name;
  const auto values = figures(group_, path);
  const auto marks = marked ? cell_marks(group_, path) : std::vector<CellMarks>(values.size());
  const bool counts = std::all_of(values.begin(), values.end(), [](const Interval& e) {
    return !e.known() || (!e.has_interval() && e.mean == std::floor(e.mean));
  });
  for (size_t i = 0; i < values.size(); ++i) {
    auto cell = interval_cell(values[i], counts ? 0 : column_decimals(values));
    if (marks[i].tied) cell.text = "≈ " + cell.text;
    cell.best = marks[i].best, cell.second = marks[i].second;
    table.groups[group].rows[i].cells.push_back(cell);
  }
}

void GroupSection::table(const std::string& caption, const std::vector<Metric>& metrics,
                         const std::vector<std::string>& topics, bool marked) const {
  if (metrics.empty() || topics.empty()) return;
  const char* counted = group_.plugin.empty() ? "prompts" : "records";
  PageTable table{caption, "model", {{"n", counted, std::string(counted) + " that were scored"}}, {}};
  for (const auto& metric : metrics)
    table.columns.push_back(
        {metric.title + arrow(metric.better), metric.from, metric.note.empty() ? metric.name : metric.note});
  for (size_t i = 0; i < topics.size(); ++i) {
    table.groups.push_back({spaced(topics[i]), {}});
    for (const auto& candidate : group_.candidates) table.groups[i].rows.push_back(row(candidate));
    for (const auto& metric : metrics) column(table, i, metric, topics[i], marked);
  }
  write(out_, table);
}

std::map<std::string, std::set<std::string>> GroupSection::other_figures() const {
  std::map<std::string, std::set<std::string>> topics;
  for (const auto& candidate : group_.candidates) {
    for (const auto& one : candidate.evaluations) {
      for (const auto& [path, figure] : one.figures) {
        const auto same = [&, &name = path](const Metric& column) { return column.name == name; };
        if (std::any_of(group_.columns.begin(), group_.columns.end(), same) || path == "n") continue;
        const size_t slash = path.rfind('/');
        topics[slash == path.npos ? "" : path.substr(0, slash)].insert(path.substr(slash + 1));
      }
    }
  }
  return topics;
}

void GroupSection::table_of(const std::string& caption,
                            const std::map<std::string, std::set<std::string>>& topics) const {
  std::vector<std::string> names;
  std::set<std::string> metrics;
  for (const auto& [topic, of_topic] : topics) names.push_back(topic), metrics.insert(of_topic.begin(), of_topic.end());
  std::vector<Metric> columns;
  for (const auto& name : metrics) columns.push_back(group_.metric(name));
  table(caption, columns, names);
}

void write_folded(Markup& out, const std::string& summary, const std::function<void()>& inside) {
  const auto details = out.open("details", {{"class", "figures"}});
  out.element("summary", {}, summary);
  inside();
}

void write_tables(Markup& out, const EvaluationGroup& group, const GroupSection& section) {
  const bool stages = !group.plugin.empty();
  const auto others = stages ? section.other_figures() : std::map<std::string, std::set<std::string>>();
  std::vector<Metric> rewards, rest;
  for (const auto& metric : group.columns) (stages || metric.topic == Topic::reward ? rewards : rest).push_back(metric);
  section.table(stages ? "Figures" : "Reward and its parts", rewards);
  section.table("Redundancy, diversity, length", rest);
  if (group.columns.empty()) section.table_of("Figures", others);
  if (stages) {
    section.unscored();
    const auto grid = out.open("div", {{"class", "grid"}});
    section.shares(), section.rounds();
  }
  const auto apart = each_run(group);
  if (apart.candidates.size() > group.candidates.size() && !group.columns.empty())
    write_folded(out, "Each run separately",
                 [&] { GroupSection(out, apart, "").table("Each run separately", group.columns, {""}, false); });
  if (!group.columns.empty() && !others.empty())
    write_folded(out, "All other figures", [&] { section.table_of(group.plugin + ": all other figures", others); });
}

}  // namespace

void write_evaluations(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage) {
  const auto groups = evaluations(runs, lineage);
  if (groups.empty()) return;
  out.element(
      "p", {{"class", "how"}},
      "Intervals are 95 %: for one evaluation over its prompts or dialogues, without the variation between seeds; for "
      "runs that differ only in their seeds (one row), a t interval over the runs. Bold: the best mean of a column; "
      "underlined: the second best; ≈: not clearly different from the best; ↑ ↓: the better direction, if known. "
      "Grey bands: the interval of the first row. Intervals are not corrected for multiple metrics.");
  for (size_t i = 0; i < groups.size(); ++i) {
    const GroupSection section(out, groups[i], fmt::format("evaluation-{}", i + 1));
    out.element("h3", {}, groups[i].heading);
    section.dots();
    section.differences();
    write_tables(out, groups[i], section);
  }
}

}  // namespace compeer::report
