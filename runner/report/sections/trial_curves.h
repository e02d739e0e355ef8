#pragma once
#include <string>
#include <vector>

#include "report/comparing/trial_groups.h"
#include "report/drawing/markup.h"

namespace compeer::report {

/// What the findings of a group tell round by round (`curves`), a plot for each: a line for each kind, in a band of its
/// 95 % intervals; of several seeds their mean, in a band of t intervals. `id` begins the ids of the plots.
void write_trial_curves(Markup& out, const std::vector<RunData>& runs, const TrialGroup& group, const std::string& id);

}  // namespace compeer::report
