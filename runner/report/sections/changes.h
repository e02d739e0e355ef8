#pragma once
#include <vector>

#include "report/comparing/evaluation_groups.h"
#include "report/comparing/lineage.h"
#include "report/drawing/markup.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// The table below the findings: every headline metric of every trained model, before and after. Nothing if there are
/// no pairs, or too many to read.
void write_changes(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage);

}  // namespace compeer::report
