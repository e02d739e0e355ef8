// Draws curves with bands, points and end labels.
#include "report/drawing/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace compeer::report {

namespace {

constexpr double width = 400, height = 232, font = 11.5, top = 10, bottom = 36, label_gap = 13;
constexpr size_t longest_label = 18;
constexpr size_t ends_named = 3;   ///< if not all lines can be labelled, this many of the highest and lowest are
constexpr size_t dots_below = 13;  ///< lines with fewer points than this show them as dots

/// The range of the finite values added.
struct Bounds {
  double low = std::numeric_limits<double>::infinity(), high = -low;

  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void add(const std::vector<double>& values) {
    for (const double value : values) add(value);
  }
};

Bounds y_bounds(const LinePlot& plot) {
  Bounds bounds;
  std::vector<double> raw;
  for (const auto& line : plot.lines) {
    bounds.add(line.heavy.y);
    bounds.add(line.band.low);
    bounds.add(line.band.high);
    raw.insert(raw.end(), line.light.y.begin(), line.light.y.end());
  }
  bounds.add(quantile(raw, 0.01));
  bounds.add(quantile(raw, 0.99));
  return bounds;
}

Range x_range(const LinePlot& plot) {
  Bounds bounds;
  for (const auto& line : plot.lines) bounds.add(line.heavy.x);
  for (const auto& line : plot.lines) bounds.add({line.across.low, line.across.high});
  bounds.add(plot.x_shown);
  if (!plot.whole_steps) return axis_range(bounds.low, bounds.high);
  if (bounds.high > bounds.low) return {bounds.low, bounds.high};
  return {bounds.low - 1, bounds.high + 1};
}

/// Returns the lines to label: all, if there is room, otherwise those that end highest and lowest.
std::vector<size_t> labelled(const LinePlot& plot) {
  std::vector<size_t> order;
  for (size_t i = 0; i < plot.lines.size(); ++i) {
    if (!plot.lines[i].heavy.y.empty() && !plot.lines[i].label.empty()) order.push_back(i);
  }
  if (!plot.labels) return {};
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return plot.lines[a].heavy.y.back() > plot.lines[b].heavy.y.back(); });
  if (order.size() > styles_told_apart) order.erase(order.begin() + ends_named, order.end() - ends_named);
  return order;
}

/// Moves labels (sorted from the top) apart as little as necessary, within the frame.
std::vector<double> spaced(std::vector<double> at) {
  const double least = top + 2, most = height - bottom;
  for (size_t i = 0; i < at.size(); ++i) at[i] = std::max(at[i], i == 0 ? least : at[i - 1] + label_gap);
  for (size_t i = at.size(); i-- > 0;) at[i] = std::min(at[i], i + 1 == at.size() ? most : at[i + 1] - label_gap);
  return at;
}

Curve placed(const Curve& curve, const PlotFrame& frame) {
  Curve points;
  for (size_t i = 0; i < curve.x.size(); ++i) {
    points.x.push_back(frame.at_x(curve.x[i]));
    points.y.push_back(frame.at_y(std::clamp(curve.y[i], frame.y.low, frame.y.high)));
  }
  return points;
}

void draw_axes(Markup& out, const LinePlot& plot, const PlotFrame& frame) {
  const auto y_ticks = ticks(frame.y.low, frame.y.high, 5);
  const auto y_labels = tick_labels(y_ticks);
  for (size_t i = 0; i < y_ticks.size(); ++i) {
    const double y = frame.at_y(y_ticks[i]);
    svg_line(out, frame.left, y, frame.right, y, y_ticks[i] == 0 ? "grid zero" : "grid");
    svg_text(out, frame.left - 6, y + 4, "end", "tick", y_labels[i]);
  }
  const double base = height - bottom;
  svg_line(out, frame.left, base, frame.right, base, "axis");
  auto x_ticks = ticks(frame.x.low, frame.x.high, 5);
  if (plot.whole_steps) std::erase_if(x_ticks, [](double tick) { return tick != std::floor(tick); });
  const auto x_labels = tick_labels(x_ticks);
  for (size_t i = 0; i < x_ticks.size(); ++i) {
    const double x = frame.at_x(x_ticks[i]);
    svg_line(out, x, base, x, base + 4, "axis");
    svg_text(out, x, base + 16, "middle", "tick", plot.whole_steps ? fixed(x_ticks[i], 0) : x_labels[i]);
  }
  svg_text(out, (frame.left + frame.right) / 2, height - 5, "middle", "axis-label", plot.x_label);
}

/// Draws one contiguous piece of a band; a single position as a line.
void draw_piece(Markup& out, const CurveSpread& piece, const PlotFrame& frame) {
  Curve outline = placed({piece.x, piece.high}, frame);
  const Curve low = placed({piece.x, piece.low}, frame);
  if (piece.x.size() == 1) return svg_line(out, low.x[0], low.y[0], low.x[0], outline.y[0], "interval");
  outline.x.insert(outline.x.end(), low.x.rbegin(), low.x.rend());
  outline.y.insert(outline.y.end(), low.y.rbegin(), low.y.rend());
  out.empty("path", {{"class", "band"}, {"d", path_data(outline) + "z"}});
}

void draw_band(Markup& out, const PlotLine& line, const PlotFrame& frame) {
  CurveSpread piece;
  for (size_t i = 0; i <= line.band.x.size(); ++i) {
    if (i < line.band.x.size() && std::isfinite(line.band.low[i]) && std::isfinite(line.band.high[i])) {
      piece.x.push_back(line.band.x[i]);
      piece.low.push_back(line.band.low[i]), piece.high.push_back(line.band.high[i]);
    } else if (!piece.x.empty()) {
      draw_piece(out, std::exchange(piece, {}), frame);
    }
  }
}

void draw_heavy(Markup& out, const PlotLine& line, const PlotFrame& frame) {
  const Curve points = placed(line.heavy, frame);
  if (points.x.size() > 1) out.empty("path", {{"class", "line"}, {"d", path_data(points)}});
  if (line.across.has_interval() && points.x.size() == 1)
    svg_line(out, frame.at_x(line.across.low), points.y[0], frame.at_x(line.across.high), points.y[0], "interval");
  if (line.style >= styles_told_apart && !line.points) return;
  const size_t first = line.points || points.x.size() < dots_below ? 0 : points.x.size() - 1;
  for (size_t i = first; i < points.x.size(); ++i)
    out.empty("circle", {{"cx", coordinate(points.x[i])}, {"cy", coordinate(points.y[i])}, {"r", "2.4"}});
  const Curve rings = placed(line.ringed, frame);
  for (size_t i = 0; i < rings.x.size(); ++i)
    out.empty("circle",
              {{"class", "ring"}, {"cx", coordinate(rings.x[i])}, {"cy", coordinate(rings.y[i])}, {"r", "6"}});
}

void draw_lines(Markup& out, const LinePlot& plot, const PlotFrame& frame) {
  for (const auto& line : plot.lines) {
    const auto group = out.open("g", {{"class", style_class(line.style)}});
    draw_band(out, line, frame);
    if (line.light.x.size() > 1) out.empty("path", {{"class", "raw"}, {"d", path_data(placed(line.light, frame))}});
  }
  for (const auto& line : plot.lines) {
    const auto group = out.open("g", {{"class", style_class(line.style)}});
    out.element("title", {}, line.name);
    draw_heavy(out, line, frame);
  }
}

void draw_labels(Markup& out, const LinePlot& plot, const PlotFrame& frame) {
  const auto order = labelled(plot);
  std::vector<double> wanted;
  for (const size_t i : order) wanted.push_back(frame.at_y(plot.lines[i].heavy.y.back()));
  const auto at = spaced(wanted);
  for (size_t k = 0; k < order.size(); ++k) {
    const auto& line = plot.lines[order[k]];
    const auto group = out.open("g", {{"class", style_class(line.style)}});
    const double x = frame.at_x(line.heavy.x.back());
    if (std::abs(at[k] - wanted[k]) > 2 || frame.right - x > 4)
      svg_line(out, x + 4, wanted[k], frame.right + 7, at[k], "leader");
    svg_text(out, frame.right + 9, at[k] + 4, "start", "end-label", shortened(line.label, longest_label));
  }
}

PlotFrame frame_of(const LinePlot& plot) {
  PlotFrame frame{40, top, width - 8, height - bottom};
  const Bounds bounds = y_bounds(plot);
  frame.x = x_range(plot);
  frame.y = axis_range(bounds.low, bounds.high);
  double widest = 0;
  for (const auto& label : tick_labels(ticks(frame.y.low, frame.y.high, 5)))
    widest = std::max(widest, text_width(label, font));
  frame.left = std::max(30.0, widest + 12);
  widest = 0;
  for (const size_t i : labelled(plot))
    widest = std::max(widest, text_width(shortened(plot.lines[i].label, longest_label), font));
  frame.right = width - (widest > 0 ? widest + 14 : 10);
  return frame;
}

}  // namespace

void add_point(PlotLine& line, double x, const Interval& e) {
  if (!e.known()) return;
  line.heavy.x.push_back(x), line.heavy.y.push_back(e.mean);
  line.band.x.push_back(x), line.band.mean.push_back(e.mean);
  line.band.low.push_back(e.has_interval() ? e.low : missing);
  line.band.high.push_back(e.has_interval() ? e.high : missing);
}

bool has_values(const LinePlot& plot) {
  return std::any_of(plot.lines.begin(), plot.lines.end(), [](const PlotLine& line) { return !line.heavy.y.empty(); });
}

void draw(Markup& out, const LinePlot& plot) {
  if (!has_values(plot)) return;
  const PlotFrame frame = frame_of(plot);
  const auto svg = open_svg(out, plot.id, width, height, plot.title);
  draw_axes(out, plot, frame);
  draw_lines(out, plot, frame);
  draw_labels(out, plot, frame);
}

}  // namespace compeer::report
