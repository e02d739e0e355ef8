// Curves of training: selection of metrics, resolution, and the tables below.
#include "report/sections/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/drawing/table.h"
#include "report/runs/metrics.h"
#include "report/sections/sections.h"

namespace compeer::report {

namespace {

constexpr size_t most_points = 90'000;    ///< of all lines of a page, about 600 kB
constexpr size_t most_light = 6;          ///< with more raw lines than this, none are drawn: they would hide each other
constexpr double rounding_noise = 1e-12;  ///< metrics with a smaller range count as constant

std::vector<double> steps_of(const RunData& run) {
  if (const auto* steps = run.column("step")) return *steps;
  std::vector<double> steps(run.rows());
  for (size_t i = 0; i < steps.size(); ++i) steps[i] = static_cast<double>(i + 1);
  return steps;
}

Curve curve_of(const RunData& run, const std::string& metric) {
  const auto* values = run.column(metric);
  if (!values) return {};
  Curve curve{steps_of(run), *values};
  curve.x.resize(std::min(curve.x.size(), curve.y.size()));
  curve.y.resize(curve.x.size());
  return curve;
}

/// Returns the value of a metric that is constant over all runs to within 0.01 % or `rounding_noise`; 0 if it has no
/// value.
std::optional<double> constant(const std::vector<const RunData*>& runs, const std::string& metric) {
  std::optional<double> value;
  for (const auto* run : runs) {
    const auto* column = run->column(metric);
    for (const double v : column ? *column : std::vector<double>()) {
      if (!std::isfinite(v)) continue;
      const double scale = std::max(std::abs(v), std::abs(value.value_or(v)));
      if (value && std::abs(*value - v) > std::max(1e-4 * scale, rounding_noise)) return {};
      if (!value) value = v;
    }
  }
  return value && std::abs(*value) > rounding_noise ? *value : 0;
}

bool any_value(const std::vector<const RunData*>& runs, const std::string& metric) {
  return std::any_of(runs.begin(), runs.end(), [&](const RunData* run) {
    const auto* column = run->column(metric);
    return column && std::any_of(column->begin(), column->end(), [](double v) { return std::isfinite(v); });
  });
}

bool same_as_reward(const std::vector<const RunData*>& runs, const std::string& metric) {
  return metric != "reward" && std::all_of(runs.begin(), runs.end(), [&](const RunData* run) {
           const auto *first = run->column(metric), *reward = run->column("reward");
           return first && reward && *first == *reward;
         });
}

/// Metrics to draw, and labels of the others.
struct Selection {
  std::vector<Metric> drawn;
  std::vector<std::string> constants;
};

Selection select(const std::vector<const RunData*>& runs) {
  Selection s;
  for (const auto& metric : metrics_of(runs)) {
    if (metric.topic == Topic::timing || !any_value(runs, metric.name)) continue;
    const auto called = metric.from.empty() ? metric.title : metric.from + " " + metric.title;
    if (const auto value = constant(runs, metric.name)) {
      s.constants.push_back(called + " " + compact(*value));
    } else if (same_as_reward(runs, metric.name)) {
      s.constants.push_back(called + " = reward");
    } else {
      s.drawn.push_back(metric);
    }
  }
  return s;
}

void write_figure(Markup& out, const std::vector<RunData>& runs, const std::vector<RunGroup>& kinds,
                  const Metric& metric, const Resolution& r, const std::string& id) {
  LinePlot plot{id, metric.title, "step", {}};
  for (const auto& kind : kinds) {
    plot.lines.push_back(plot_line(runs, kind, metric.name, r));
    if (plot.lines.back().heavy.y.empty()) plot.lines.pop_back();
    for (const size_t run : metric.topic == Topic::validation ? kind.runs : std::vector<size_t>()) {
      const auto steps = steps_of(runs[run]);  // same x axis as the other plots
      if (!steps.empty()) plot.x_shown.insert(plot.x_shown.end(), {steps.front(), steps.back()});
    }
  }
  plot.labels = kinds.size() > 1;
  if (!has_values(plot)) return;
  const auto figure = open_plot(out, metric.title, metric.from, metric.note);
  draw(out, plot);
}

void write_legend(Markup& out, const std::vector<RunGroup>& kinds) {
  std::optional<Markup::Scope> folded;
  if (kinds.size() > styles_told_apart) {
    folded.emplace(out.open("details"));
    out.element("summary", {}, fmt::format("{} lines", kinds.size()));
  }
  const auto list =
      out.open("ul", {{"class", "legend"}, {"aria-label", "Runs in the plots below; clear a box to hide its line"}});
  for (const auto& kind : kinds) {
    const auto item = out.open("li");
    const auto label = out.open("label");
    out.empty("input", {{"type", "checkbox"}, {"checked", "checked"}, {"id", fmt::format("show-{}", kind.style)}});
    write_swatch(out, kind.style);
    out.text(kind.name);
  }
}

/// Writes a table of the runs' summaries: means over the last rows; for validation the best look and its step.
void write_last_rows(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage,
                     const std::vector<size_t>& which) {
  PageTable table{
      "At the end of training: means over the last 20 rows; for validation, the best of many evaluations, which is "
      "biased by this choice",
      "run"};
  std::vector<const RunData*> shown;
  for (const size_t i : which) {
    shown.push_back(&runs[i]);
    table.groups[0].rows.push_back({runs[i].name, runs[i].finished() ? "" : runs[i].state, lineage.style(i)});
  }
  for (const auto& metric : metrics_of(shown)) {
    std::vector<Interval> means;
    for (const auto* run : shown) means.push_back({run->estimate(metric.name).mean, missing, missing, 0});
    const bool known = std::any_of(means.begin(), means.end(), [](const Interval& e) { return e.known(); });
    if (!known || metric.topic == Topic::timing) continue;
    table.columns.push_back({metric.title, metric.from, metric.note});
    const bool steps = metric.title == "best step";
    for (size_t k = 0; k < shown.size(); ++k) {
      const double mean = means[k].mean;
      const bool small = mean != 0 && std::abs(mean) < 1e-3;
      table.groups[0].rows[k].cells.push_back(
          {small ? compact(mean) : fixed(mean, steps ? 0 : column_decimals(means)),
           steps && std::isfinite(mean) ? fmt::format("of {}", shown[k]->steps_done) : ""});
    }
  }
  write(out, table);
}

}  // namespace

Resolution resolution(const std::vector<RunData>& runs, const std::vector<RunGroup>& kinds, size_t plots) {
  Resolution r;
  size_t rows = 0;
  bool bands = false;
  for (const auto& kind : kinds) {
    bands = bands || kind.runs.size() > 1;
    for (const size_t run : kind.runs) rows = std::max(rows, runs[run].rows());
  }
  const size_t lines = std::max<size_t>(1, kinds.size() * plots);
  const bool light = kinds.size() <= most_light;
  // Raw lines and bands have twice the points of their heavy line.
  r.heavy = std::clamp<size_t>(most_points / lines / (light || bands ? 3 : 1), 24, 320);
  r.light = light ? r.heavy : 0;
  r.window = smoothing_window(rows);
  return r;
}

PlotLine plot_line(const std::vector<RunData>& runs, const RunGroup& kind, const std::string& metric,
                   const Resolution& r) {
  PlotLine line{kind.label, kind.name, kind.style, {}, {}, {}};
  const bool looks = describe(metric).topic == Topic::validation;
  const size_t window = looks || metric == "lr" ? 1 : r.window;  // a schedule has no noise, but corners to keep
  line.points = looks;
  std::vector<Curve> curves;
  for (const size_t i : kind.runs) {
    const RunData& run = runs[i];
    const Curve raw = curve_of(run, metric);
    curves.push_back({raw.x, smooth(raw.y, window)});
    if (kind.runs.size() == 1 && r.light > 0 && window > 1) line.light = thin_extremes(raw, r.light);
    const double step = best_step(run), value = run.estimate(metric).mean;
    if (looks && std::isfinite(step) && std::isfinite(value))
      line.ringed.x.push_back(step), line.ringed.y.push_back(value);
  }
  if (curves.size() == 1) {
    line.heavy = looks ? thin_extremes(curves[0], r.heavy) : thin_mean(curves[0], r.heavy);
    return line;
  }
  const CurveSpread all = across(curves);
  line.heavy = thin_mean({all.x, all.mean}, r.heavy);
  line.band = {line.heavy.x, line.heavy.y, thin_mean({all.x, all.low}, r.heavy).y,
               thin_mean({all.x, all.high}, r.heavy).y};
  return line;
}

void write_curves(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage, const std::string& task) {
  std::vector<size_t> places;
  std::vector<const RunData*> with_rows;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].task == task && runs[i].rows() > 0) places.push_back(i), with_rows.push_back(&runs[i]);
  }
  if (places.empty()) return;
  const auto kinds = run_groups(runs, lineage, places);
  const Selection selection = select(with_rows);
  const Resolution r = resolution(runs, kinds, selection.drawn.size());
  const auto smoothed =
      r.window > 1 ? fmt::format("Heavy lines: means over {} rows; light: single rows. ", r.window) : "";
  out.element("p", {{"class", "how"}},
              smoothed + "Bands: lowest to highest of several seeds. Rings: the best validation.");
  write_legend(out, kinds);
  for (size_t i = 0; i < selection.drawn.size();) {
    const Topic topic = selection.drawn[i].topic;
    out.element("h3", {}, heading(topic));
    const auto grid = out.open("div", {{"class", "grid"}});
    for (; i < selection.drawn.size() && selection.drawn[i].topic == topic; ++i)
      write_figure(out, runs, kinds, selection.drawn[i], r, fmt::format("{}-{}", task, i));
  }
  if (!selection.constants.empty())
    out.element("p", {{"class", "how"}}, fmt::format("Constant, not drawn: {}", fmt::join(selection.constants, "; ")));
  write_last_rows(out, runs, lineage, places);
}

}  // namespace compeer::report
