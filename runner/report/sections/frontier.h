#pragma once
#include <string>
#include <vector>

#include "report/comparing/lineage.h"
#include "report/drawing/markup.h"
#include "report/runs/run_data.h"

/// The section of trade-off plots: two metrics against each other, one dot per run, with the Pareto front. A dot is on
/// the front unless another dot is better in one metric and at least equal in the other.
namespace compeer::report {

/// A requested trade-off plot.
struct Frontier {
  /// Metrics of both axes, by their names in the run's results: "distinct_2", or for a stage of a data run
  /// "01-sage/mean_emotion/value" (stage, path of the figure).
  std::string x, y;
};

/// One dot: a run, or several that differ only in their seeds.
struct FrontierDot {
  std::string label;      ///< short name for the plot
  std::string name;       ///< full name
  size_t style = 0;       ///< index of colour and dash in plots
  Interval x, y;          ///< the two metrics, with 95 % intervals
  bool on_front = false;  ///< true if the dot's means are on the Pareto front
};

/// The dots of one plot: runs of one task and, for evaluate runs, one way of decoding.
struct FrontierGroup {
  std::string heading;  ///< the task, or the decoding: "grpo", "Sampled, temperature 1"
  std::vector<FrontierDot> dots;
};
/// Returns a dot for each run that has both metrics. Runs that differ only in their seeds share a dot, the means with t
/// intervals. Grouped by task and way of decoding, in the order of the runs.
std::vector<FrontierGroup> frontier_groups(const std::vector<RunData>& runs, const Lineage& lineage,
                                           const Frontier& frontier);

/// Writes the requested plots, each with a table; instead of a plot without values, a sentence that no run has both
/// metrics.
void write_frontiers(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage,
                     const std::vector<Frontier>& frontiers);

}  // namespace compeer::report
