#pragma once
#include <string>
#include <vector>

#include "report/drawing/markup.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// One run, or several of one kind, by two metrics.
struct ScatterDot {
  std::string label;  ///< short, drawn beside the dot
  std::string name;   ///< whole, shown when the pointer rests on it
  size_t style = 0;
  Estimate x, y;
  bool ringed = false;
};

struct ScatterPlot {
  std::string id, title, description, x_label, y_label;
  std::vector<ScatterDot> dots;
};

/// Inline SVG: dots with crosses for their intervals, those that are ringed joined by a line from left to right. Labels
/// stand where they cover nothing, as far as there is room. Dots without both values are left out.
void draw(Markup& out, const ScatterPlot& plot);

}  // namespace compeer::report
