#include "report/drawing/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/drawing/numbers.h"
#include "report/drawing/svg.h"

namespace compeer::report {

namespace {

constexpr double width = 520, height = 340, font = 11.5, top = 12, bottom = 40, line = 13;
constexpr size_t longest_label = 26;

struct Box {
  double x1, y1, x2, y2;
  bool covers(const Box& other) const { return x1 < other.x2 && other.x1 < x2 && y1 < other.y2 && other.y1 < y2; }
};

Range range_of(const std::vector<ScatterDot>& dots, Interval ScatterDot::*axis) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const auto& dot : dots) {
    const Interval& e = dot.*axis;
    low = std::min(low, e.has_interval() ? e.low : e.mean);
    high = std::max(high, e.has_interval() ? e.high : e.mean);
  }
  return axis_range(low, high);
}

PlotFrame frame_of(const std::vector<ScatterDot>& dots) {
  PlotFrame frame{40, top, width - 12, height - bottom};
  frame.x = range_of(dots, &ScatterDot::x);
  frame.y = range_of(dots, &ScatterDot::y);
  double widest = 0;
  for (const auto& label : tick_labels(ticks(frame.y.low, frame.y.high, 6)))
    widest = std::max(widest, text_width(label, font));
  frame.left = widest + 14;
  return frame;
}

void draw_axes(Markup& out, const ScatterPlot& plot, const PlotFrame& frame) {
  const double base = height - bottom;
  const auto y_ticks = ticks(frame.y.low, frame.y.high, 6), x_ticks = ticks(frame.x.low, frame.x.high, 6);
  const auto y_labels = tick_labels(y_ticks), x_labels = tick_labels(x_ticks);
  for (size_t i = 0; i < y_ticks.size(); ++i) {
    svg_line(out, frame.left, frame.at_y(y_ticks[i]), frame.right, frame.at_y(y_ticks[i]), "grid");
    svg_text(out, frame.left - 6, frame.at_y(y_ticks[i]) + 4, "end", "tick", y_labels[i]);
  }
  for (size_t i = 0; i < x_ticks.size(); ++i) {
    svg_line(out, frame.at_x(x_ticks[i]), top, frame.at_x(x_ticks[i]), base, "grid");
    svg_text(out, frame.at_x(x_ticks[i]), base + 16, "middle", "tick", x_labels[i]);
  }
  svg_line(out, frame.left, base, frame.right, base, "axis");
  svg_text(out, (frame.left + frame.right) / 2, height - 6, "middle", "axis-label", plot.x_label);
}

void draw_front(Markup& out, const std::vector<ScatterDot>& dots, const PlotFrame& frame) {
  std::vector<const ScatterDot*> front;
  for (const auto& dot : dots) {
    if (dot.ringed) front.push_back(&dot);
  }
  std::sort(front.begin(), front.end(), [](auto* a, auto* b) { return a->x.mean < b->x.mean; });
  Curve points;
  for (const auto* dot : front)
    points.x.push_back(frame.at_x(dot->x.mean)), points.y.push_back(frame.at_y(dot->y.mean));
  if (front.size() > 1) out.empty("path", {{"class", "front"}, {"d", path_data(points)}});
}

void draw_dot(Markup& out, const ScatterDot& dot, const PlotFrame& frame) {
  const auto group = out.open("g", {{"class", style_class(dot.style)}});
  out.element("title", {},
              fmt::format("{}: {} across, {} up", dot.name, with_interval(dot.x, column_decimals({dot.x})),
                          with_interval(dot.y, column_decimals({dot.y}))));
  const double x = frame.at_x(dot.x.mean), y = frame.at_y(dot.y.mean);
  if (dot.x.has_interval()) svg_line(out, frame.at_x(dot.x.low), y, frame.at_x(dot.x.high), y, "interval");
  if (dot.y.has_interval()) svg_line(out, x, frame.at_y(dot.y.low), x, frame.at_y(dot.y.high), "interval");
  if (dot.ringed) out.empty("circle", {{"class", "ring"}, {"cx", coordinate(x)}, {"cy", coordinate(y)}, {"r", "7"}});
  out.empty("circle", {{"cx", coordinate(x)}, {"cy", coordinate(y)}, {"r", "4"}});
}

/// Places for a dot's label: right and left of it, above and below, then ever higher and lower.
std::vector<Box> places_around(double x, double y, double wide) {
  std::vector<Box> places;
  for (double away = 0; away < height; away += line) {
    for (const double up : {y - line - 1 - away, y + 3 + away}) {
      places.push_back({x + 10, up, x + 10 + wide, up + line});
      places.push_back({x - 10 - wide, up, x - 10, up + line});
    }
  }
  return places;
}

/// The first place where a label covers no dot and no other label; else the very first.
Box place_of(const ScatterDot& dot, const PlotFrame& frame, const std::vector<Box>& taken) {
  const double wide = text_width(shortened(dot.label, longest_label), font);
  const auto places = places_around(frame.at_x(dot.x.mean), frame.at_y(dot.y.mean), wide);
  for (const auto& place : places) {
    const bool inside = place.x1 >= frame.left && place.x2 <= width && place.y1 >= 0 && place.y2 <= height - bottom;
    const auto covered = [&](const Box& other) { return place.covers(other); };
    if (inside && std::none_of(taken.begin(), taken.end(), covered)) return place;
  }
  return places[0].x2 <= width ? places[0] : places[1];
}

/// From a dot to a label that does not stand beside it.
void draw_leader(Markup& out, double x, double y, const Box& place) {
  const double middle = (place.y1 + place.y2) / 2;
  if (std::abs(middle - y) > line) svg_line(out, x, y, place.x1 > x ? place.x1 - 2 : place.x2 + 2, middle, "leader");
}

void draw_labels(Markup& out, const std::vector<ScatterDot>& dots, const PlotFrame& frame) {
  std::vector<Box> taken;
  for (const auto& dot : dots) {
    const double x = frame.at_x(dot.x.mean), y = frame.at_y(dot.y.mean);
    taken.push_back({x - 6, y - 6, x + 6, y + 6});
  }
  for (const auto& dot : dots) {
    const Box place = place_of(dot, frame, taken);
    taken.push_back(place);
    const auto group = out.open("g", {{"class", style_class(dot.style)}});
    draw_leader(out, frame.at_x(dot.x.mean), frame.at_y(dot.y.mean), place);
    svg_text(out, place.x1, place.y2 - 3, "start", "end-label", shortened(dot.label, longest_label));
  }
}

}  // namespace

void draw(Markup& out, const ScatterPlot& plot) {
  auto dots = plot.dots;
  std::erase_if(dots, [](const ScatterDot& dot) { return !dot.x.known() || !dot.y.known(); });
  if (dots.empty()) return;
  const PlotFrame frame = frame_of(dots);
  const auto svg = open_figure(out, plot.id, width, height, plot.title, plot.description);
  draw_axes(out, plot, frame);
  draw_front(out, dots, frame);
  for (const auto& dot : dots) draw_dot(out, dot, frame);
  draw_labels(out, dots, frame);
}

}  // namespace compeer::report
