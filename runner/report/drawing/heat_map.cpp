#include "report/drawing/plots.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/drawing/numbers.h"
#include "report/drawing/svg.h"

namespace compeer::report {

namespace {

constexpr double font = 11.5, row_height = 38, top = 8, below = 40, least_width = 420, least_cell = 58;
constexpr double faintest = 0.06, darkest = 0.5;  // so that text on a cell is readable in light and dark
constexpr size_t longest_label = 18;

struct CellScale {
  double low = 0, high = 0;
  double shade(double value) const {
    return high > low ? faintest + (darkest - faintest) * (value - low) / (high - low) : faintest;
  }
};

CellScale scale_of(const std::vector<Interval>& known) {
  const auto [low, high] =
      std::minmax_element(known.begin(), known.end(), [](const auto& a, const auto& b) { return a.mean < b.mean; });
  return {low->mean, high->mean};
}

void draw_cell(Markup& out, const Interval& e, const CellScale& scale, int decimals, double x, double y, double width) {
  const auto middle = x + width / 2;
  if (!e.known()) return svg_text(out, middle, y + row_height / 2 + 4, "middle", "tick", "–");
  out.empty("rect", {{"class", "heat"},
                     {"x", coordinate(x + 1)},
                     {"y", coordinate(y + 1)},
                     {"width", coordinate(width - 2)},
                     {"height", coordinate(row_height - 2)},
                     {"fill-opacity", fmt::format("{:.2f}", scale.shade(e.mean))}});
  const bool interval = e.has_interval();
  svg_text(out, middle, y + row_height / 2 + (interval ? -2 : 4), "middle", "cell", fixed(e.mean, decimals));
  if (interval)
    svg_text(out, middle, y + row_height / 2 + 12, "middle", "cell-half", "±" + fixed((e.high - e.low) / 2, decimals));
}

}  // namespace

void draw(Markup& out, const HeatMap& map) {
  std::vector<Interval> known;
  for (const auto& row : map.cells)
    std::copy_if(row.begin(), row.end(), std::back_inserter(known), [](const Interval& e) { return e.known(); });
  if (known.empty()) return;
  double left = text_width(map.y_label, font);
  for (const auto& row : map.rows) left = std::max(left, text_width(shortened(row, longest_label), font));
  left += 12;
  const auto columns = static_cast<double>(map.columns.size());
  const double cell = std::max(least_cell, (least_width - left) / columns);
  const double width = left + cell * columns, base = top + 14 + row_height * static_cast<double>(map.rows.size());
  const auto svg = open_figure(out, map.id, width, base + below, map.title, map.description);
  const CellScale scale = scale_of(known);
  const int decimals = column_decimals(known);
  svg_text(out, left - 8, top + 4, "end", "axis-label", map.y_label);
  for (size_t i = 0; i < map.rows.size(); ++i) {
    const double y = top + 14 + row_height * static_cast<double>(i);
    svg_text(out, left - 8, y + row_height / 2 + 4, "end", "row-label", shortened(map.rows[i], longest_label));
    for (size_t k = 0; k < map.columns.size(); ++k)
      draw_cell(out, map.cells[i][k], scale, decimals, left + cell * static_cast<double>(k), y, cell);
  }
  for (size_t k = 0; k < map.columns.size(); ++k)
    svg_text(out, left + cell * (static_cast<double>(k) + 0.5), base + 15, "middle", "tick",
             shortened(map.columns[k], longest_label));
  svg_text(out, left + cell * columns / 2, base + 33, "middle", "axis-label", map.x_label);
}

}  // namespace compeer::report
