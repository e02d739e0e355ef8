#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "report/comparing/lineage.h"
#include "report/drawing/plots.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// How much is drawn: fewer points per line the more lines there are, so that a page over fifty long runs stays small.
struct Resolution {
  size_t heavy = 320;  ///< points of a heavy line
  size_t light = 320;  ///< buckets of a light line, two points each; 0: none are drawn
  size_t window = 1;   ///< rows that heavy lines average over
};
Resolution resolution(const std::vector<RunData>& runs, const std::vector<Kind>& kinds, size_t plots);

/// One metric of runs of one kind, smoothed and thinned. What was validated is not: every look is a point, as it was
/// measured, the best look of each run ringed.
PlotLine plot_line(const std::vector<RunData>& runs, const Kind& kind, const std::string& metric,
                   const Resolution& resolution);

}  // namespace compeer::report
