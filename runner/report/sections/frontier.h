#pragma once
#include <string>
#include <vector>

#include "report/comparing/lineage.h"
#include "report/drawing/markup.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// Two metrics that are wanted both: which runs give most of one for what they keep of the other?
struct Frontier {
  std::string x, y;  ///< names of metrics, as in a run's summary: "distinct_2", "01-sage/mean_emotion/value"
};

/// One run, or several of one kind, by two metrics.
struct FrontierDot {
  std::string label, name;
  size_t style = 0;
  Interval x, y;
  bool on_front = false;
};

/// A dot for each kind of run that has both metrics, of several seeds their mean with t intervals; one group for each
/// task and way of decoding, in order of the runs. `on_front`: on the Pareto front of the means.
struct FrontierGroup {
  std::string heading;
  std::vector<FrontierDot> dots;
};
std::vector<FrontierGroup> frontier_groups(const std::vector<RunData>& runs, const Lineage& lineage,
                                           const Frontier& frontier);

/// The plots that were asked for, each with a table. One that no run has values for is named.
void write_frontiers(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage,
                     const std::vector<Frontier>& frontiers);

}  // namespace compeer::report
