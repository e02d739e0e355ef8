// Draws dots with intervals.
#include <fmt/format.h>

#include <algorithm>

#include "report/drawing/plots.h"

namespace compeer::report {

namespace {

constexpr double width = 400, font = 11.5, row_height = 19, heading_height = 20, below = 24;
constexpr size_t longest_label = 22;

/// Returns the groups without rows that have no value.
std::vector<DotGroup> shown(const DotPlot& plot) {
  auto groups = plot.groups;
  for (auto& group : groups) std::erase_if(group.rows, [](const DotRow& row) { return !row.estimate.known(); });
  std::erase_if(groups, [](const DotGroup& group) { return group.rows.empty(); });
  return groups;
}

double space_above(const DotGroup& group) { return group.heading.empty() ? 6 : heading_height; }

PlotFrame frame_of(const std::vector<DotGroup>& groups) {
  double low = std::numeric_limits<double>::infinity(), high = -low, widest = 0, height = 0;
  for (const auto& group : groups) {
    height += space_above(group) + static_cast<double>(group.rows.size()) * row_height;
    for (const auto& [label, name, style, e] : group.rows) {
      low = std::min(low, e.has_interval() ? e.low : e.mean);
      high = std::max(high, e.has_interval() ? e.high : e.mean);
      widest = std::max(widest, text_width(shortened(label, longest_label), font));
    }
  }
  return {widest + 12, 0, width - 12, height, axis_range(low, high)};
}

void draw_row(Markup& out, const DotRow& row, const PlotFrame& frame, double y) {
  const auto& e = row.estimate;
  const auto g = out.open("g", {{"class", style_class(row.style)}});
  out.element("title", {}, row.name + ": " + with_interval(e, column_decimals({e})));
  svg_text(out, frame.left - 10, y + 4, "end", "row-label", shortened(row.label, longest_label));
  if (e.has_interval()) {
    svg_line(out, frame.at_x(e.low), y, frame.at_x(e.high), y, "interval");
    for (const double end : {e.low, e.high}) svg_line(out, frame.at_x(end), y - 3, frame.at_x(end), y + 3, "interval");
  }
  out.empty("circle", {{"cx", coordinate(frame.at_x(e.mean))}, {"cy", coordinate(y)}, {"r", "3.6"}});
}

void draw_baseline(Markup& out, const Interval& e, const PlotFrame& frame, double top, double bottom) {
  if (e.has_interval())
    out.empty("rect", {{"class", "baseline"},
                       {"x", coordinate(frame.at_x(e.low))},
                       {"y", coordinate(top)},
                       {"width", coordinate(std::max(0.5, frame.at_x(e.high) - frame.at_x(e.low)))},
                       {"height", coordinate(bottom - top)}});
  svg_line(out, frame.at_x(e.mean), top, frame.at_x(e.mean), bottom, "baseline-mean");
}

}  // namespace

bool has_values(const DotPlot& plot) { return !shown(plot).empty(); }

void draw(Markup& out, const DotPlot& plot) {
  const auto groups = shown(plot);
  if (groups.empty()) return;
  const PlotFrame frame = frame_of(groups);
  const auto svg = open_svg(out, plot.id, width, frame.bottom + below, plot.title);
  const auto at = ticks(frame.x.low, frame.x.high, 5);
  const auto labels = tick_labels(at);
  for (size_t i = 0; i < at.size(); ++i) {
    svg_line(out, frame.at_x(at[i]), 0, frame.at_x(at[i]), frame.bottom, "grid");
    svg_text(out, frame.at_x(at[i]), frame.bottom + 16, "middle", "tick", labels[i]);
  }
  double y = 0;
  for (const auto& group : groups) {
    if (!group.heading.empty()) svg_text(out, 0, y + 14, "start", "group-label", group.heading);
    y += space_above(group);
    const double end = y + static_cast<double>(group.rows.size()) * row_height;
    if (plot.baseline && group.rows.size() > 1) draw_baseline(out, group.rows.front().estimate, frame, y, end);
    for (const auto& row : group.rows) {
      draw_row(out, row, frame, y + row_height / 2);
      y += row_height;
    }
  }
  svg_line(out, frame.left, frame.bottom, frame.right, frame.bottom, "axis");
}

}  // namespace compeer::report
