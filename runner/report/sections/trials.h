#pragma once
#include <string>
#include <vector>

#include "report/comparing/trial_groups.h"
#include "report/drawing/markup.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// The sentences that the page's findings say of a group: the best, and how the others differ from it.
std::vector<std::string> trial_findings(const std::vector<RunData>& runs, const TrialGroup& group);

/// Of each group the paper's table, what was not scored and why, curves, and all other figures. Nothing if no run holds
/// a trial.
void write_trials(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage);

}  // namespace compeer::report
