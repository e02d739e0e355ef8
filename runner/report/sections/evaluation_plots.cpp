#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/drawing/numbers.h"
#include "report/drawing/plots.h"
#include "report/drawing/svg.h"
#include "report/sections/evaluation_parts.h"

namespace compeer::report {

namespace {

using nlohmann::json;

/// The curve called `name` of one stage: an estimate for each round.
std::vector<Interval> curve_of(const json& findings, const std::string& name) {
  std::vector<Interval> rounds;
  const json& curve = findings.at("curves").at(name);
  for (size_t i = 0; curve.is_array() && i < curve.size(); ++i) {
    const auto figures = figures_of({{"round", curve[i]}});
    const auto found = figures.find("round");
    rounds.push_back(found == figures.end() ? Interval{} : found->second);
  }
  return rounds;
}

bool has_curve(const json& findings, const std::string& name) {
  return findings.contains("curves") && findings["curves"].is_object() && findings["curves"].contains(name);
}

std::vector<Interval> curve_of(const std::vector<RunData>& runs, const Candidate& candidate, const std::string& name) {
  std::vector<std::vector<Interval>> all;
  size_t rounds = 0;
  for (const auto& one : candidate.evaluations) {
    const auto& findings = runs[one.run].stages[one.stage].findings;
    if (has_curve(findings, name)) all.push_back(curve_of(findings, name));
    if (!all.empty()) rounds = std::max(rounds, all.back().size());
  }
  if (all.size() == 1) return all[0];
  std::vector<Interval> mean;
  for (size_t i = 0; i < rounds; ++i) {
    std::vector<double> values;
    for (const auto& curve : all) values.push_back(i < curve.size() ? curve[i].mean : missing);
    mean.push_back(statistics::mean_interval(values));
  }
  return mean;
}

PlotLine line_of(const Candidate& candidate, const std::vector<Interval>& rounds) {
  PlotLine line{candidate.label, candidate.name, candidate.style, {}, {}, {}};
  for (size_t i = 0; i < rounds.size(); ++i) add_point(line, static_cast<double>(i), rounds[i]);
  return line;
}

std::string ends_of(const LinePlot& plot) {
  std::string text;
  for (size_t i = 0; i < plot.lines.size() && i < styles_told_apart; ++i) {
    const auto& curve = plot.lines[i].heavy;
    text += fmt::format("{}: {} in round {}, {} in round {}. ", plot.lines[i].name, compact(curve.y.front()),
                        fixed(curve.x.front(), 0), compact(curve.y.back()), fixed(curve.x.back(), 0));
  }
  return text;
}

void write_curve(Markup& out, const std::vector<RunData>& runs, const EvaluationGroup& group, const std::string& name,
                 const std::string& id) {
  LinePlot plot{id, group.plugin + ": " + name + " over rounds", "", "round", {}};
  for (const auto& candidate : group.candidates)
    plot.lines.push_back(line_of(candidate, curve_of(runs, candidate, name)));
  std::erase_if(plot.lines, [](const PlotLine& line) { return line.heavy.y.empty(); });
  if (!has_values(plot)) return;
  plot.labels = group.candidates.size() > 1;
  plot.description = ends_of(plot);
  const auto figure = out.open("figure", {{"class", "plot"}});
  {
    const auto caption = out.open("figcaption");
    out.element("strong", {}, name);
    out.element("span", {{"class", "from"}}, group.plugin);
    out.element("span", {{"class", "note"}}, "over rounds; bands are 95 % intervals");
  }
  draw(out, plot);
}

/// What a screen reader is told instead of the dots.
std::string read_out(const DotPlot& plot, int decimals) {
  std::string text;
  for (const auto& group : plot.groups) {
    text += text.empty() ? group.heading + ":" : " " + group.heading + ":";
    for (size_t i = 0; i < group.rows.size() && i < 12; ++i)
      text += fmt::format(" {} {};", group.rows[i].label, with_interval(group.rows[i].estimate, decimals));
  }
  return text;
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::vector<std::string> shares_of(const nlohmann::json& findings) {
  std::vector<std::string> names;
  for (const auto& name : findings.value("shares", nlohmann::json::array())) {
    if (name.is_string()) names.push_back(name);
  }
  return names;
}

/// What has these shares: "a vs b" of "a vs b/win".
std::set<std::string> topics_of(const nlohmann::json& findings, const std::string& share) {
  std::set<std::string> topics;
  for (const auto& [path, figure] : figures_of(findings)) {
    if (path.ends_with("/" + share)) topics.insert(path.substr(0, path.size() - share.size() - 1));
  }
  return topics;
}

}  // namespace

void write_dots(Markup& out, const std::vector<RunData>& runs, const std::vector<EvaluationGroup>& groups,
                const Metric& metric, const std::string& id) {
  DotPlot plot{id, metric.title + " of each evaluated run", "", {}};
  std::vector<Interval> all;
  for (const auto& group : groups) {
    DotGroup dots{group.heading, {}};
    for (const auto& candidate : group.candidates) {
      all.push_back(figure_of(runs, candidate, metric.name));
      dots.rows.push_back({candidate.label, candidate.name, candidate.style, all.back()});
    }
    plot.groups.push_back(dots);
  }
  plot.description = read_out(plot, column_decimals(all));
  if (groups.size() == 1) plot.groups[0].heading.clear();
  if (!has_values(plot)) return;
  const auto figure = out.open("figure", {{"class", "plot"}});
  {
    const auto caption = out.open("figcaption");
    out.element("strong", {}, metric.title + arrow(metric.better));
    if (!metric.from.empty()) out.element("span", {{"class", "from"}}, metric.from);
    if (!metric.note.empty()) out.element("span", {{"class", "note"}}, metric.note);
  }
  draw(out, plot);
}

void write_rounds(Markup& out, const std::vector<RunData>& runs, const EvaluationGroup& group, const std::string& id) {
  std::set<std::string> names;
  for (const auto& candidate : group.candidates) {
    for (const auto& one : candidate.evaluations) {
      const auto& findings = runs[one.run].stages[one.stage].findings;
      if (!findings.contains("curves") || !findings["curves"].is_object()) continue;
      for (const auto& [name, curve] : findings["curves"].items()) names.insert(name);
    }
  }
  if (names.empty()) return;
  const auto grid = out.open("div", {{"class", "grid"}});
  size_t number = 0;
  for (const auto& name : names) write_curve(out, runs, group, name, fmt::format("{}-curve-{}", id, ++number));
}

void write_shares(Markup& out, const std::vector<RunData>& runs, const EvaluationGroup& group, const std::string& id) {
  BarPlot plot{id, group.heading + ", in shares", "", "share of what was compared", {}, {}, percent, false};
  for (const auto& candidate : group.candidates) {
    const auto& first = candidate.evaluations.front();
    const auto& findings = runs[first.run].stages[first.stage].findings;
    plot.part_names = shares_of(findings);
    if (plot.part_names.empty()) return;
    for (const auto& topic : topics_of(findings, plot.part_names[0])) {
      const auto pair = topic.substr(topic.find('/') + 1);
      BarRow row{group.candidates.size() == 1 ? pair : pair + ", " + candidate.label, pair + ", " + candidate.name, {}};
      for (const auto& share : plot.part_names)
        row.parts.push_back(figure_of(runs, candidate, topic + "/" + share).mean);
      plot.description += row.name + ":";
      for (size_t i = 0; i < row.parts.size(); ++i)
        plot.description +=
            fmt::format(" {} {}{}", plot.part_names[i], percent(row.parts[i]), i + 1 < row.parts.size() ? "," : ". ");
      plot.rows.push_back(std::move(row));
    }
  }
  draw(out, plot);
}

}  // namespace compeer::report
