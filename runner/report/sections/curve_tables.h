#pragma once
#include <string>
#include <vector>

#include "report/comparing/lineage.h"
#include "report/drawing/markup.h"
#include "report/runs/metrics.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// The tables below the curves of one task's runs.

/// Means over the last rows. What was validated is left out: it has no value in most rows.
void write_last_rows(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage, const std::string& task,
                     const std::vector<Metric>& metrics);

/// One look of each run, the best: its step and what was measured there. Nothing if no run was validated.
void write_best_looks(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage, const std::string& task);

}  // namespace compeer::report
