#pragma once
#include <string>
#include <vector>

#include "report/comparing/lineage.h"
#include "report/drawing/markup.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// Curves over steps of all runs of one task, by topic; a legend (with which lines can be hidden); the rule by which
/// lines were smoothed and thinned; a table of the last rows, and one of the best looks
/// of validation, which are drawn as they were measured. What never changes is said in a sentence instead of
/// drawn. Runs that differ in their seeds alone are one line, their mean, in a band from the lowest to the highest.
/// Nothing if no run of this task has rows.
void write_curves(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage, const std::string& task);

}  // namespace compeer::report
