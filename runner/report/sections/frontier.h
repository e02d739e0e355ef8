#pragma once
#include <string>
#include <vector>

#include "report/comparing/lineage.h"
#include "report/drawing/markup.h"
#include "report/drawing/plots.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// Two metrics that are wanted both: which runs give most of one for what they keep of the other?
struct Frontier {
  std::string x, y;  ///< names of metrics, as in a run's summary: "distinct_2", "01-sage/mean_emotion/value"
};

/// A dot for each kind of run that has both metrics, of several seeds their mean with t intervals; one group for each
/// task and way of decoding, in order of the runs. Dots on the Pareto front of the means are ringed.
struct FrontierGroup {
  std::string heading;
  std::vector<ScatterDot> dots;
};
std::vector<FrontierGroup> frontier_groups(const std::vector<RunData>& runs, const Lineage& lineage,
                                           const Frontier& frontier);

/// The plots that were asked for, each with a table. One that no run has values for is named.
void write_frontiers(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage,
                     const std::vector<Frontier>& frontiers);

}  // namespace compeer::report
