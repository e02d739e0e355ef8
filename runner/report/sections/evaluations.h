#pragma once
#include <vector>

#include "report/comparing/evaluation_groups.h"
#include "report/comparing/lineage.h"
#include "report/drawing/markup.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// The section: dots with intervals for the headline, then tables of everything. Nothing if nothing was evaluated.
void write_evaluations(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage);

}  // namespace compeer::report
