#pragma once
#include <string>
#include <vector>

#include "report/comparing/trial_groups.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// What the page's findings say of a group: who is best by its headline, and how those that come next differ from it.
std::vector<std::string> trial_findings(const std::vector<RunData>& runs, const TrialGroup& group);

}  // namespace compeer::report
