#pragma once
#include <string>
#include <vector>

#include "report/comparing/lineage.h"
#include "report/drawing/markup.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// A trade-off plot of two metrics.
struct Frontier {
  std::string x, y;  ///< names as in a run's summary: "distinct_2", "01-sage/mean_emotion/value"
};

/// One run, or several that differ only in their seeds, by two metrics.
struct FrontierDot {
  std::string label, name;
  size_t style = 0;
  Interval x, y;
  bool on_front = false;  ///< true on the Pareto front of the means
};

/// The dots of one task and way of decoding.
struct FrontierGroup {
  std::string heading;
  std::vector<FrontierDot> dots;
};
/// Returns a dot for each kind of run that has both metrics (for several seeds the means with t intervals), grouped by
/// task and way of decoding in the order of the runs.
std::vector<FrontierGroup> frontier_groups(const std::vector<RunData>& runs, const Lineage& lineage,
                                           const Frontier& frontier);

/// Writes the requested plots, each with a table; names those that no run has values for.
void write_frontiers(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage,
                     const std::vector<Frontier>& frontiers);

}  // namespace compeer::report
