#include <fmt/format.h>

#include <algorithm>

#include "report/drawing/numbers.h"
#include "report/drawing/svg.h"
#include "report/drawing/table.h"
#include "report/runs/metrics.h"
#include "report/sections/curve_parts.h"
#include "report/sections/sections.h"

namespace compeer::report {

namespace {

std::vector<const RunData*> runs_of(const std::vector<CurveSource>& sources) {
  std::vector<const RunData*> runs;
  for (const auto& source : sources) runs.insert(runs.end(), source.runs.begin(), source.runs.end());
  return runs;
}

constexpr double rounding_noise = 1e-12;  ///< a range up to this is drawn of no metric, whatever its scale

/// The value of a metric whose rows differ by no more than 0.01 % or `rounding_noise`, over all runs.
std::optional<double> constant(const std::vector<const RunData*>& runs, const std::string& metric) {
  std::optional<double> value;
  for (const auto* run : runs) {
    const auto* column = run->column(metric);
    if (!column) continue;
    for (const double v : *column) {
      if (!std::isfinite(v)) continue;
      const double scale = std::max(std::abs(v), std::abs(value.value_or(v)));
      if (value && std::abs(*value - v) > std::max(1e-4 * scale, rounding_noise)) return {};
      if (!value) value = v;
    }
  }
  if (value && std::abs(*value) <= rounding_noise) return 0;
  return value;
}

bool same_columns(const std::vector<const RunData*>& runs, const std::string& a, const std::string& b) {
  return a != b && std::all_of(runs.begin(), runs.end(), [&](const RunData* run) {
           const auto *first = run->column(a), *second = run->column(b);
           return first && second && *first == *second;
         });
}

bool any_value(const std::vector<const RunData*>& runs, const std::string& metric) {
  return std::any_of(runs.begin(), runs.end(), [&](const RunData* run) {
    const auto* column = run->column(metric);
    return column && std::any_of(column->begin(), column->end(), [](double v) { return std::isfinite(v); });
  });
}

/// Metrics worth a plot, and sentences about the others.
struct Selection {
  std::vector<Metric> drawn;
  std::vector<std::string> constants, doubles;
};

std::string called(const Metric& metric) {
  return metric.from.empty() ? metric.title : metric.from + " " + metric.title;
}

Selection select(const std::vector<const RunData*>& runs) {
  Selection s;
  for (const auto& metric : metrics_of(runs)) {
    if (metric.name.starts_with("seconds/") || !any_value(runs, metric.name)) continue;
    if (const auto value = constant(runs, metric.name)) {
      s.constants.push_back(called(metric) + " " + compact(*value));
      if (metric.topic == Topic::validation) s.constants.back() += " (at every look)";
    } else if (same_columns(runs, metric.name, "reward")) {
      s.doubles.push_back(called(metric));
    } else {
      s.drawn.push_back(metric);
    }
  }
  return s;
}

std::string read_out(const LinePlot& plot) {
  std::string text = fmt::format("{} against {}.", plot.title, plot.x_label);
  size_t told = 0;
  for (const auto& line : plot.lines) {
    if (line.heavy.y.empty() || ++told > styles_told_apart) continue;
    text += fmt::format(" {}: {} at {} {}, {} at {} {}.", line.name, compact(line.heavy.y.front()), plot.x_label,
                        fixed(line.heavy.x.front(), 0), compact(line.heavy.y.back()), plot.x_label,
                        fixed(line.heavy.x.back(), 0));
  }
  return text;
}

constexpr size_t told_in_captions = 4;  ///< more runs than this have their best look in the table alone

/// "best 1.94 at step 22"; of a metric that doesn't decide, "0.31 at the best step, 22".
std::string best_look(const RunData& run, const Metric& metric) {
  const auto value = compact(run.estimate(metric.name).mean);
  const auto metrics = validation_metrics({&run});
  const bool decides = !metrics.empty() && metrics[0].name == metric.name;
  return decides ? fmt::format("best {} at step {:.0f}", value, best_step(run))
                 : fmt::format("{} at the best step, {:.0f}", value, best_step(run));
}

/// In words, for a caption; several runs by their names.
std::string best_looks(const std::vector<CurveSource>& sources, const Metric& metric) {
  std::vector<std::string> parts;
  const auto runs = runs_of(sources);
  for (const auto* run : runs) {
    if (metric.topic != Topic::validation || !run->column(metric.name) || !std::isfinite(best_step(*run))) continue;
    parts.push_back((runs.size() > 1 ? run->name + ": " : "") + best_look(*run, metric));
  }
  return parts.size() > told_in_captions ? "" : fmt::format("{}", fmt::join(parts, "; "));
}

/// First and last step of every run: the axis of looks is that of the other plots.
std::vector<double> ends_of_steps(const std::vector<CurveSource>& sources) {
  std::vector<double> ends;
  for (const auto* run : runs_of(sources)) {
    const auto steps = steps_of(*run);
    if (!steps.empty()) ends.insert(ends.end(), {steps.front(), steps.back()});
  }
  return ends;
}

void write_caption(Markup& out, const Metric& metric, const std::string& best) {
  const auto caption = out.open("figcaption");
  out.element("strong", {}, metric.title);
  if (!metric.from.empty() && metric.topic != Topic::validation) out.element("span", {{"class", "from"}}, metric.from);
  if (!best.empty()) out.element("span", {{"class", "from"}}, best);
  if (!metric.note.empty()) out.element("span", {{"class", "note"}}, metric.note);
}

void write_figure(Markup& out, const std::vector<CurveSource>& sources, const Metric& metric, const Resolution& r,
                  const std::string& id) {
  LinePlot plot{id, metric.title, "", "step", {}};
  const bool looks = metric.topic == Topic::validation;
  for (const auto& source : sources) plot.lines.push_back((looks ? look_line : plot_line)(source, metric.name, r));
  if (looks) plot.x_shown = ends_of_steps(sources);
  plot.labels = sources.size() > 1;
  std::erase_if(plot.lines, [](const PlotLine& line) { return line.heavy.y.empty(); });
  if (!has_values(plot)) return;
  const auto best = best_looks(sources, metric);
  plot.description = read_out(plot) + (best.empty() ? "" : " " + best + ".");
  const auto figure = out.open("figure", {{"class", "plot"}});
  write_caption(out, metric, best);
  draw(out, plot);
}

void write_legend(Markup& out, const std::vector<CurveSource>& sources) {
  std::optional<Markup::Scope> folded;
  if (sources.size() > styles_told_apart) {
    folded.emplace(out.open("details"));
    out.element("summary", {}, fmt::format("{} lines", sources.size()));
  }
  const auto list = out.open(
      "ul", {{"class", "legend"}, {"aria-label", "Runs in the plots below; a box that is not ticked hides its line"}});
  for (const auto& source : sources) {
    const auto item = out.open("li");
    const auto label = out.open("label");
    out.empty("input", {{"type", "checkbox"}, {"checked", "checked"}, {"id", fmt::format("show-{}", source.style)}});
    write_swatch(out, source.style);
    out.text(source.name);
  }
}

bool any_validated(const std::vector<Metric>& metrics) {
  return std::any_of(metrics.begin(), metrics.end(), [](const auto& m) { return m.topic == Topic::validation; });
}

std::string rule(const std::vector<CurveSource>& sources, const Selection& selection, const Resolution& r) {
  std::string text;
  size_t rows = 0;
  for (const auto* run : runs_of(sources)) rows = std::max(rows, run->rows());
  if (r.window > 1)
    text = fmt::format("{}: mean over a centred window of {} rows. ", r.light > 0 ? "Heavy lines" : "Lines", r.window);
  if (r.window > 1 && r.light > 0) text += "Light lines: single rows";
  if (r.window > 1 && r.light > 0 && rows > 2 * r.light)
    text += fmt::format("; of {} equal parts of the axis each shows its lowest and its highest", r.light);
  if (r.window > 1 && r.light > 0) text += ". ";
  if (std::any_of(sources.begin(), sources.end(), [](const auto& source) { return source.runs.size() > 1; }))
    text += "Lines of several seeds: their mean, in a band from the lowest to the highest. ";
  if (sources.size() > styles_told_apart)
    text +=
        "Only the three lines that end highest and the three that end lowest are named; rest the pointer on a line for "
        "its name. ";
  if (any_validated(selection.drawn))
    text += "Validation: every point is a look at held-out records, as it was measured; a ring is a run's best look. ";
  return text;
}

}  // namespace

void write_curves(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage, const std::string& task) {
  const auto sources = curve_sources(runs, lineage, task);
  if (sources.empty()) return;
  const auto with_rows = runs_of(sources);
  const Selection selection = select(with_rows);
  const Resolution r = resolution(sources, selection.drawn.size());
  out.element("p", {{"class", "how"}}, rule(sources, selection, r));
  if (sources.size() > 1) {
    write_legend(out, sources);
  } else {
    out.element("p", {{"class", "how"}}, "Run: " + sources[0].name + ".");
  }
  for (size_t i = 0; i < selection.drawn.size();) {
    const Topic topic = selection.drawn[i].topic;
    out.element("h3", {}, heading(topic));
    const auto grid = out.open("div", {{"class", "grid"}});
    for (; i < selection.drawn.size() && selection.drawn[i].topic == topic; ++i)
      write_figure(out, sources, selection.drawn[i], r, fmt::format("{}-{}", task, i));
  }
  if (!selection.constants.empty())
    out.element(
        "p", {{"class", "how"}},
        fmt::format("The same in every row, to within 0.01 % or rounding: {}.", fmt::join(selection.constants, "; ")));
  if (!selection.doubles.empty())
    out.element("p", {{"class", "how"}},
                fmt::format("Equal to the reward in every row, not drawn: {}.", fmt::join(selection.doubles, "; ")));
  write_last_rows(out, runs, lineage, task, selection.drawn);
  write_best_looks(out, runs, lineage, task);
}

}  // namespace compeer::report
