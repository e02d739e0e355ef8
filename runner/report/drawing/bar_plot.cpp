#include "report/drawing/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/drawing/numbers.h"
#include "report/drawing/svg.h"

namespace compeer::report {

namespace {

constexpr double width = 860, font = 11.5, row_height = 28, bar = 20, below = 38;
constexpr size_t longest_label = 36;

double total(const BarRow& row) {
  double sum = 0;
  for (const double part : row.parts) sum += std::isfinite(part) ? part : 0;
  return sum;
}

void draw_bar(Markup& out, const BarPlot& plot, const BarRow& row, double left, double scale, double y) {
  double x = left;
  for (size_t i = 0; i < row.parts.size(); ++i) {
    const double size = std::isfinite(row.parts[i]) ? row.parts[i] * scale : 0;
    if (size <= 0) continue;
    const auto g = out.open("g", {{"class", fmt::format("p{}", i % part_looks)}});
    out.element("title", {}, fmt::format("{}, {}: {}", row.name, plot.part_names[i], plot.in_words(row.parts[i])));
    out.empty("rect", {{"x", coordinate(x)},
                       {"y", coordinate(y)},
                       {"width", coordinate(std::max(0.3, size - 1))},
                       {"height", coordinate(bar)}});
    if (text_width(plot.part_names[i], font) + 10 < size)
      svg_text(out, x + size / 2, y + bar / 2 + 4, "middle", "part-label", plot.part_names[i]);
    x += size;
  }
  if (plot.totals) svg_text(out, x + 6, y + bar / 2 + 4, "start", "tick", plot.in_words(total(row)));
}

}  // namespace

void draw(Markup& out, const BarPlot& plot) {
  double longest = 0, widest = 0;
  for (const auto& row : plot.rows) {
    longest = std::max(longest, total(row));
    widest = std::max(widest, text_width(shortened(row.label, longest_label), font));
  }
  if (longest <= 0) return;
  const double left = widest + 12, room = width - left - 90, scale = room / longest;
  const double base = static_cast<double>(plot.rows.size()) * row_height, height = base + below;
  const auto svg = open_figure(out, plot.id, width, height, plot.title, plot.description);
  const auto at = ticks(0, longest, 8);
  const auto labels = tick_labels(at);
  for (size_t i = 0; i < at.size(); ++i) {
    svg_line(out, left + at[i] * scale, 0, left + at[i] * scale, base + 4, "grid");
    svg_text(out, left + at[i] * scale, base + 17, "middle", "tick", labels[i]);
  }
  double y = (row_height - bar) / 2;
  for (const auto& row : plot.rows) {
    svg_text(out, left - 8, y + bar / 2 + 4, "end", "row-label", shortened(row.label, longest_label));
    draw_bar(out, plot, row, left, scale, y);
    y += row_height;
  }
  svg_line(out, left, base, left + room, base, "axis");
  svg_text(out, left + room / 2, height - 4, "middle", "axis-label", plot.x_label);
}

}  // namespace compeer::report
