#pragma once
#include <string>
#include <vector>

#include "report/comparing/trial_groups.h"
#include "report/drawing/markup.h"

namespace compeer::report {

/// What the findings of a group call `shares`, names of figures that add up to one in each of their topics ("win",
/// "tie", "lose" of "a vs b"), as bars: one for each topic, of each kind. Nothing if there are none.
void write_trial_shares(Markup& out, const std::vector<RunData>& runs, const TrialGroup& group, const std::string& id);

}  // namespace compeer::report
