#pragma once
#include <string>
#include <vector>

#include "report/comparing/lineage.h"
#include "report/drawing/markup.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// Seconds a run spent in each phase, over all its rows. `seconds/step` is the whole of a step: what its phases leave
/// of it is called "other". Validation comes between steps, so it is no part of that.
struct Phases {
  std::vector<std::string> names;            ///< the longest first, "other" last
  std::vector<std::vector<double>> seconds;  ///< for each run, for each name; NaN: not measured
  std::vector<double> whole;                 ///< for each run
};
Phases phases_of(const std::vector<RunData>& runs);

/// How long each run took, and with what: bars of the seconds spent in each phase, then a table.
void write_timings(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage);

}  // namespace compeer::report
