#include "report/sections/trial_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/comparing/compare.h"
#include "report/drawing/line_plot.h"
#include "report/drawing/numbers.h"
#include "report/drawing/svg.h"
#include "report/runs/figures.h"

namespace compeer::report {

namespace {

using nlohmann::json;

/// The curve called `name` of one stage: an estimate for each round.
std::vector<Estimate> curve_of(const json& findings, const std::string& name) {
  std::vector<Estimate> rounds;
  const json& curve = findings.at("curves").at(name);
  for (size_t i = 0; curve.is_array() && i < curve.size(); ++i) {
    const auto figures = figures_of({{"round", curve[i]}});
    const auto found = figures.find("round");
    rounds.push_back(found == figures.end() ? Estimate{} : found->second);
  }
  return rounds;
}

bool has_curve(const json& findings, const std::string& name) {
  return findings.contains("curves") && findings["curves"].is_object() && findings["curves"].contains(name);
}

std::vector<Estimate> curve_of(const std::vector<RunData>& runs, const TrialKind& kind, const std::string& name) {
  std::vector<std::vector<Estimate>> all;
  size_t rounds = 0;
  for (const auto& place : kind.trials) {
    const auto& findings = runs[place.run].stages[place.stage].findings;
    if (has_curve(findings, name)) all.push_back(curve_of(findings, name));
    if (!all.empty()) rounds = std::max(rounds, all.back().size());
  }
  if (all.size() == 1) return all[0];
  std::vector<Estimate> mean;
  for (size_t i = 0; i < rounds; ++i) {
    std::vector<double> values;
    for (const auto& one : all) values.push_back(i < one.size() ? one[i].mean : missing);
    mean.push_back(statistics::mean_interval(values));
  }
  return mean;
}

PlotLine line_of(const TrialKind& kind, const std::vector<Estimate>& rounds) {
  PlotLine line{kind.label, kind.name, kind.style, {}, {}, {}};
  for (size_t i = 0; i < rounds.size(); ++i) add_point(line, static_cast<double>(i), rounds[i]);
  return line;
}

std::string read_out(const LinePlot& plot) {
  std::string text;
  for (size_t i = 0; i < plot.lines.size() && i < styles_told_apart; ++i) {
    const auto& curve = plot.lines[i].heavy;
    text += fmt::format("{}: {} in round {}, {} in round {}. ", plot.lines[i].name, compact(curve.y.front()),
                        fixed(curve.x.front(), 0), compact(curve.y.back()), fixed(curve.x.back(), 0));
  }
  return text;
}

void write_figure(Markup& out, const std::vector<RunData>& runs, const TrialGroup& group, const std::string& name,
                  const std::string& id) {
  LinePlot plot{id, group.plugin + ": " + name + " over rounds", "", "round", {}};
  for (const auto& kind : group.kinds) plot.lines.push_back(line_of(kind, curve_of(runs, kind, name)));
  std::erase_if(plot.lines, [](const PlotLine& line) { return line.heavy.y.empty(); });
  if (!has_values(plot)) return;
  plot.labels = group.kinds.size() > 1;
  plot.description = read_out(plot);
  const auto figure = out.open("figure", {{"class", "plot"}});
  {
    const auto caption = out.open("figcaption");
    out.element("strong", {}, name);
    out.element("span", {{"class", "from"}}, group.plugin);
    out.element("span", {{"class", "note"}}, "over rounds; bands are 95 % intervals");
  }
  draw(out, plot);
}

}  // namespace

void write_trial_curves(Markup& out, const std::vector<RunData>& runs, const TrialGroup& group, const std::string& id) {
  std::set<std::string> names;
  for (const auto& kind : group.kinds) {
    for (const auto& place : kind.trials) {
      const auto& findings = runs[place.run].stages[place.stage].findings;
      if (!findings.contains("curves") || !findings["curves"].is_object()) continue;
      for (const auto& [name, curve] : findings["curves"].items()) names.insert(name);
    }
  }
  if (names.empty()) return;
  const auto grid = out.open("div", {{"class", "grid"}});
  size_t number = 0;
  for (const auto& name : names) write_figure(out, runs, group, name, fmt::format("{}-curve-{}", id, ++number));
}

}  // namespace compeer::report
