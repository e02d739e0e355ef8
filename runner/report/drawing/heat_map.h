#pragma once
#include <string>
#include <vector>

#include "report/drawing/markup.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// One metric over two settings.
struct HeatMap {
  std::string id;                  ///< unique on the page
  std::string title, description;  ///< for screen readers
  std::string x_label, y_label;    ///< the settings
  std::vector<std::string> columns, rows;
  std::vector<std::vector<Estimate>> cells;  ///< [row][column]; not known(): an empty cell
};

/// Inline SVG: a cell for each pair of values, darker the higher, with the mean and half of its interval in it, so that
/// nothing is told by colour alone. Draws nothing if no cell is known.
void draw(Markup& out, const HeatMap& map);

}  // namespace compeer::report
