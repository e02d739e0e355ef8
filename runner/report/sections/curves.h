#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "report/comparing/lineage.h"
#include "report/drawing/plots.h"
#include "report/runs/run_data.h"

/// The lines of training curves: a metric over the steps of a run. A heavy line is smoothed, a light line shows the raw
/// values.
namespace compeer::report {

/// Resolution of the lines of a page: fewer points per line the more lines there are, so that a page about fifty long
/// runs stays small.
struct Resolution {
  size_t heavy = 320;  ///< maximum number of points of a heavy line
  size_t light = 320;  ///< number of buckets of a light line, with up to two points each; 0: no light lines
  size_t window = 1;   ///< number of rows (steps) that heavy lines average over, centred
};
/// Returns the resolution for `plots` plots, each with one line per element of `kinds`: runs that differ only in their
/// seeds.
Resolution resolution(const std::vector<RunData>& runs, const std::vector<RunGroup>& kinds, size_t plots);

/// Returns the line of one metric for the runs of `kind`, smoothed and thinned; for several runs their mean, with a
/// band from the lowest to the highest. Validation metrics, which are measured at some steps, are not smoothed: every
/// value is a point, and the best one of each run is ringed.
PlotLine plot_line(const std::vector<RunData>& runs, const RunGroup& kind, const std::string& metric,
                   const Resolution& resolution);

}  // namespace compeer::report
