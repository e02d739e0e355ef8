#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "report/comparing/lineage.h"
#include "report/drawing/plots.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// Resolution of plots: fewer points per line the more lines there are, so that a page over fifty long runs stays
/// small.
struct Resolution {
  size_t heavy = 320;  ///< maximum number of points of a heavy line
  size_t light = 320;  ///< buckets of a light line, with up to two points each; 0: no light lines
  size_t window = 1;   ///< number of rows that heavy lines average over
};
/// Returns the resolution for `plots` plots of these kinds of runs.
Resolution resolution(const std::vector<RunData>& runs, const std::vector<RunGroup>& kinds, size_t plots);

/// Returns the line of one metric for one kind of run, smoothed and thinned. Validation metrics are not smoothed: every
/// look is a point, and the best look of each run is ringed.
PlotLine plot_line(const std::vector<RunData>& runs, const RunGroup& kind, const std::string& metric,
                   const Resolution& resolution);

}  // namespace compeer::report
