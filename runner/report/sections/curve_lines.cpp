#include "report/sections/curve_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/drawing/svg.h"
#include "report/runs/metrics.h"

namespace compeer::report {

namespace {

constexpr size_t most_points = 90'000;  ///< of all lines of a page together, about 600 kB
constexpr size_t most_light = 6;        ///< more raw lines than this hide each other

Curve curve_of(const RunData& run, const std::string& metric) {
  const auto* values = run.column(metric);
  if (!values) return {};
  Curve curve{steps_of(run), *values};
  curve.x.resize(std::min(curve.x.size(), curve.y.size()));
  curve.y.resize(curve.x.size());
  return curve;
}

/// The mean of several runs, within a band from the lowest to the highest.
void add_runs(PlotLine& line, const std::vector<Curve>& curves, size_t points) {
  const CurveSpread all = across(curves);
  line.heavy = thin_mean({all.x, all.mean}, points);
  line.band = {line.heavy.x, line.heavy.y, thin_mean({all.x, all.low}, points).y,
               thin_mean({all.x, all.high}, points).y};
}

}  // namespace

std::vector<double> steps_of(const RunData& run) {
  if (const auto* steps = run.column("step")) return *steps;
  std::vector<double> steps(run.rows());
  for (size_t i = 0; i < steps.size(); ++i) steps[i] = static_cast<double>(i + 1);
  return steps;
}

std::vector<CurveSource> curve_sources(const std::vector<RunData>& runs, const Lineage& lineage,
                                       const std::string& task) {
  std::vector<CurveSource> sources;
  std::map<std::string, size_t> places;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].task != task || runs[i].rows() == 0) continue;
    const auto [place, is_new] = places.emplace(lineage.key(i), sources.size());
    if (is_new) sources.push_back({"", "", lineage.style(i), {}});
    sources[place->second].runs.push_back(&runs[i]);
  }
  std::vector<std::string> names;
  for (auto& source : sources) {
    std::vector<std::string> repetitions;
    for (const auto* run : source.runs) repetitions.push_back(run->name);
    source.name = common_start(repetitions);
    names.push_back(source.name);
    if (source.runs.size() > 1) source.name += fmt::format(" ({} seeds)", source.runs.size());
  }
  const auto labels = short_labels(names);
  for (size_t i = 0; i < sources.size(); ++i) sources[i].label = labels[i];
  return sources;
}

Resolution resolution(const std::vector<CurveSource>& sources, size_t plots) {
  Resolution r;
  size_t rows = 0;
  for (const auto& source : sources) {
    for (const auto* run : source.runs) rows = std::max(rows, run->rows());
  }
  const size_t lines = std::max<size_t>(1, sources.size() * plots);
  const bool light = sources.size() <= most_light;
  const bool bands =
      std::any_of(sources.begin(), sources.end(), [](const auto& source) { return source.runs.size() > 1; });
  // Raw lines and bands cost twice the points of the heavy line they belong to.
  r.heavy = std::clamp<size_t>(most_points / lines / (light || bands ? 3 : 1), 24, 320);
  r.light = light ? r.heavy : 0;
  r.window = smoothing_window(rows);
  return r;
}

PlotLine plot_line(const CurveSource& source, const std::string& metric, const Resolution& r) {
  PlotLine line{source.label, source.name, source.style, {}, {}, {}};
  const size_t window = metric == "lr" ? 1 : r.window;  // a schedule has no noise, but corners
  std::vector<Curve> curves;
  for (const auto* run : source.runs) {
    const Curve raw = curve_of(*run, metric);
    curves.push_back({raw.x, smooth(raw.y, window)});
    if (source.runs.size() == 1 && r.light > 0 && window > 1) line.light = thin_extremes(raw, r.light);
  }
  if (curves.size() == 1) {
    line.heavy = thin_mean(curves[0], r.heavy);
    return line;
  }
  add_runs(line, curves, r.heavy);
  return line;
}

PlotLine look_line(const CurveSource& source, const std::string& metric, const Resolution& r) {
  PlotLine line{source.label, source.name, source.style, {}, {}, {}};
  line.points = true;
  std::vector<Curve> curves;
  for (const auto* run : source.runs) {
    curves.push_back(curve_of(*run, metric));
    const double step = best_step(*run), value = run->estimate(metric).mean;
    if (std::isfinite(step) && std::isfinite(value)) line.ringed.x.push_back(step), line.ringed.y.push_back(value);
  }
  if (curves.size() == 1)
    line.heavy = thin_extremes(curves[0], r.heavy);
  else
    add_runs(line, curves, r.heavy);
  return line;
}

}  // namespace compeer::report
