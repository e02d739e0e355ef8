#pragma once
#include <vector>

#include "report/comparing/lineage.h"
#include "report/drawing/markup.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// Of each group the paper's table, what was not scored and why, curves, and all other figures. Nothing if no run holds
/// a trial.
void write_trials(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage);

}  // namespace compeer::report
