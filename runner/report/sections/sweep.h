#pragma once
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "report/drawing/markup.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// A sweep: metrics by settings, over the runs of each combination, and their differences, in pairs, from base runs.
/// Computed by a script or by `swept`.
struct Sweep {
  struct Value {
    std::string text;
    double number = missing;  ///< the value as a number; NaN if it is not one
  };
  struct Row {
    std::vector<Value> settings;
    std::vector<Interval> metrics;    ///< not known() if no run of the row has the metric
    size_t finished = 0, failed = 0;  ///< number of runs
  };
  /// A table of rows, each with one value per setting and one estimate per metric.
  struct Part {
    std::vector<std::string> settings;
    std::vector<Row> rows;
  };

  std::vector<std::string> metrics;  ///< names of the metrics
  Part means;
  Part differences;                ///< without rows if there is no comparison
  std::string base, paired_by;     ///< "reweighting.plugin = none", "seed"
  std::vector<std::string> notes;  ///< runs that failed or have no partner
};

/// Writes a plot for each metric: over two settings a heat map, otherwise over the first setting (a line with a band
/// for numbers with at least three values, otherwise dots); a plot of the differences, and tables of both.
void write_sweep(Markup& out, const Sweep& sweep);

/// Returns the sweep that these runs form, if they do: training runs or evaluations that differ in one or two settings
/// and in seeds. Settings of one alternative plugin ("reweighting.alpha") belong to the choice of the plugin.
/// Differences between seeds, such as the start model, are not settings, and evaluations of several models are not a
/// sweep. The metrics are those of `headline`.
std::optional<Sweep> swept(const std::vector<RunData>& runs);

}  // namespace compeer::report
