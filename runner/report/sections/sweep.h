#pragma once
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "report/drawing/markup.h"
#include "report/runs/run_data.h"

/// The section about a sweep: runs that differ systematically in a few settings, usually each combination of their
/// values with several seeds.
namespace compeer::report {

/// Results of a sweep: means of metrics for each combination of settings, and optionally the differences from base
/// runs, in pairs. Computed by a script or by swept().
struct Sweep {
  /// Value of a setting.
  struct Value {
    std::string text;         ///< the value as text
    double number = missing;  ///< the value as a number; NaN if it is not one
  };
  /// One combination of settings.
  struct Row {
    std::vector<Value> settings;    ///< [setting of the Part]
    std::vector<Interval> metrics;  ///< [metric]: mean over the row's runs; not known() if none has the metric
    size_t finished = 0;            ///< number of finished runs; in `differences` number of pairs
    size_t failed = 0;              ///< number of runs that did not finish
  };
  /// A table of rows, each with one value per setting and one estimate per metric.
  struct Part {
    std::vector<std::string> settings;  ///< paths of the settings: "grpo.lr"
    std::vector<Row> rows;
  };

  std::vector<std::string> metrics;  ///< names of the metrics, for both tables
  Part means;                        ///< means over the runs of each combination
  Part differences;                  ///< mean differences from base runs; without rows if there is no comparison
  std::string base;                  ///< the base runs: "reweighting.plugin = none"
  std::string paired_by;             ///< setting that is equal in both runs of a pair: "seed"
  std::vector<std::string> notes;    ///< runs that are left out because they failed or have no partner
};

/// Writes a plot for each metric: over two settings a heat map, otherwise over the first setting (a line with a band
/// for numbers with at least three values, otherwise dots); a plot of the differences, and tables of both.
void write_sweep(Markup& out, const Sweep& sweep);

/// Returns the sweep that these runs form, if they do: training runs or evaluations that differ in one or two settings
/// and in seeds. Settings that only one of several alternative plugins has ("reweighting.alpha") belong to the choice
/// of the plugin. Differences between seeds, such as the start model, are not settings, and evaluations of several
/// models are not a sweep. The metrics are the few most important ones (headline()). No differences are computed.
std::optional<Sweep> swept(const std::vector<RunData>& runs);

}  // namespace compeer::report
