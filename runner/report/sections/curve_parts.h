#pragma once
#include <string>
#include <vector>

#include "report/comparing/lineage.h"
#include "report/drawing/markup.h"
#include "report/drawing/plots.h"
#include "report/runs/metrics.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// What the sections of training are made of (sections.h).

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

/// The tables below the curves of one task's runs.

/// Means over the last rows. What was validated is left out: it has no value in most rows.
void write_last_rows(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage, const std::string& task,
                     const std::vector<Metric>& metrics);

/// One look of each run, the best: its step and what was measured there. Nothing if no run was validated.
void write_best_looks(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage, const std::string& task);

}  // namespace compeer::report
