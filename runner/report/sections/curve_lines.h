#pragma once
#include <string>
#include <vector>

#include "report/comparing/lineage.h"
#include "report/drawing/line_plot.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// What one line of every plot stands for: a run, or several that differ in their seeds alone.
struct CurveSource {
  std::string label, name;
  size_t style = 0;
  std::vector<const RunData*> runs;
};

/// The runs of one task that have rows, repetitions taken together.
std::vector<CurveSource> curve_sources(const std::vector<RunData>& runs, const Lineage& lineage,
                                       const std::string& task);

/// How much is drawn: fewer points per line the more lines there are, so that a page over fifty long runs stays small.
struct Resolution {
  size_t heavy = 320;  ///< points of a heavy line
  size_t light = 320;  ///< buckets of a light line, two points each; 0: none are drawn
  size_t window = 1;   ///< rows that heavy lines average over
};
Resolution resolution(const std::vector<CurveSource>& sources, size_t plots);

/// One metric of one source, smoothed and thinned.
PlotLine plot_line(const CurveSource& source, const std::string& metric, const Resolution& resolution);

/// What was validated: every look a point, as it was measured; the best look of each run ringed.
PlotLine look_line(const CurveSource& source, const std::string& metric, const Resolution& resolution);

/// Steps of a run's rows: its `step` column, or 1, 2, 3, ...
std::vector<double> steps_of(const RunData& run);

}  // namespace compeer::report
