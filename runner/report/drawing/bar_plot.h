#pragma once
#include <string>
#include <utility>
#include <vector>

#include "report/drawing/markup.h"
#include "report/drawing/numbers.h"

namespace compeer::report {

/// CSS classes p0 to p7 colour the parts, in turn.
inline constexpr size_t part_looks = 8;

/// One bar made of parts laid end to end. Parts are matched by place over all bars; NaN or 0: none.
struct BarRow {
  std::string label, name;
  std::vector<double> parts;
};

struct BarPlot {
  std::string id, title, description, x_label;
  std::vector<std::string> part_names;
  std::vector<BarRow> rows;
  std::string (*in_words)(double) = duration;  ///< how lengths are told
  bool totals = true;                          ///< tell each bar's whole length behind it
};

/// Inline SVG: horizontal stacked bars on one axis that starts at zero. Parts wide enough bear their name, so that
/// nothing depends on colour; the rest have it as a title. Draws nothing if all is zero.
void draw(Markup& out, const BarPlot& plot);

}  // namespace compeer::report
