#pragma once
#include <vector>

#include "report/lineage.h"
#include "report/markup.h"
#include "report/run_data.h"

namespace compeer::report {

/// How long each run took, and with what: bars of the seconds spent in each phase, then a table.
void write_timings(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage);

}  // namespace compeer::report
