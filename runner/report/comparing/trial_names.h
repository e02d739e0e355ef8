#pragma once
#include <vector>

#include "report/comparing/trial_groups.h"

namespace compeer::report {

/// What groups are called in headings: by how their circumstances differ from those of others of their plugin.
void name_groups(const std::vector<RunData>& runs, std::vector<TrialGroup>& groups);

/// What the kinds of a group are called, in tables and, shorter, in plots.
void name_kinds(const std::vector<RunData>& runs, TrialGroup& group);

}  // namespace compeer::report
