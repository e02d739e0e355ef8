#include "report/drawing/plots.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/drawing/numbers.h"
#include "report/drawing/svg.h"

namespace compeer::report {

namespace {

constexpr double width = 400, font = 11.5, row_height = 19, heading_height = 20, below = 24;
constexpr size_t longest_label = 22;

struct DotScale {
  double left, right;
  Range range;
  double at(double value) const { return left + (value - range.low) / (range.high - range.low) * (right - left); }
};

std::vector<DotRow> shown(const DotGroup& group) {
  std::vector<DotRow> rows = group.rows;
  std::erase_if(rows, [](const DotRow& row) { return !row.estimate.known(); });
  return rows;
}

DotScale scale_of(const DotPlot& plot) {
  double low = std::numeric_limits<double>::infinity(), high = -low, widest = 0;
  for (const auto& group : plot.groups) {
    for (const auto& row : shown(group)) {
      const auto& e = row.estimate;
      low = std::min(low, e.has_interval() ? e.low : e.mean);
      high = std::max(high, e.has_interval() ? e.high : e.mean);
      widest = std::max(widest, text_width(shortened(row.label, longest_label), font));
    }
  }
  return {widest + 12, width - 12, axis_range(low, high)};
}

double height_of(const DotPlot& plot) {
  double height = below;
  for (const auto& group : plot.groups) {
    const size_t rows = shown(group).size();
    if (rows > 0) height += static_cast<double>(rows) * row_height + (group.heading.empty() ? 6 : heading_height);
  }
  return height;
}

void draw_row(Markup& out, const DotRow& row, const DotScale& scale, double y) {
  const auto& e = row.estimate;
  const auto g = out.open("g", {{"class", style_class(row.style)}});
  out.element("title", {}, row.name + ": " + with_interval(e, column_decimals({e})));
  svg_text(out, scale.left - 10, y + 4, "end", "row-label", shortened(row.label, longest_label));
  if (e.has_interval()) {
    svg_line(out, scale.at(e.low), y, scale.at(e.high), y, "interval");
    for (const double end : {e.low, e.high}) svg_line(out, scale.at(end), y - 3, scale.at(end), y + 3, "interval");
  }
  out.empty("circle", {{"cx", coordinate(scale.at(e.mean))}, {"cy", coordinate(y)}, {"r", "3.6"}});
}

void draw_baseline(Markup& out, const Interval& e, const DotScale& scale, double top, double bottom) {
  if (e.has_interval())
    out.empty("rect", {{"class", "baseline"},
                       {"x", coordinate(scale.at(e.low))},
                       {"y", coordinate(top)},
                       {"width", coordinate(std::max(0.5, scale.at(e.high) - scale.at(e.low)))},
                       {"height", coordinate(bottom - top)}});
  svg_line(out, scale.at(e.mean), top, scale.at(e.mean), bottom, "baseline-mean");
}

}  // namespace

bool has_values(const DotPlot& plot) {
  return std::any_of(plot.groups.begin(), plot.groups.end(), [](const auto& group) { return !shown(group).empty(); });
}

void draw(Markup& out, const DotPlot& plot) {
  if (!has_values(plot)) return;
  const DotScale scale = scale_of(plot);
  const double height = height_of(plot), base = height - below;
  const auto svg = open_figure(out, plot.id, width, height, plot.title, plot.description);
  const auto at = ticks(scale.range.low, scale.range.high, 5);
  const auto labels = tick_labels(at);
  for (size_t i = 0; i < at.size(); ++i) {
    svg_line(out, scale.at(at[i]), 0, scale.at(at[i]), base, "grid");
    svg_text(out, scale.at(at[i]), base + 16, "middle", "tick", labels[i]);
  }
  double y = 0;
  for (const auto& group : plot.groups) {
    const auto rows = shown(group);
    if (rows.empty()) continue;
    if (!group.heading.empty()) svg_text(out, 0, y + 14, "start", "group-label", group.heading);
    y += group.heading.empty() ? 6 : heading_height;
    if (rows.size() > 1)
      draw_baseline(out, rows.front().estimate, scale, y, y + static_cast<double>(rows.size()) * row_height);
    for (const auto& row : rows) {
      draw_row(out, row, scale, y + row_height / 2);
      y += row_height;
    }
  }
  svg_line(out, scale.left, base, scale.right, base, "axis");
}

}  // namespace compeer::report
