#pragma once
#include <string>
#include <vector>

#include "report/comparing/compare.h"
#include "report/comparing/standings.h"
#include "report/comparing/trial_groups.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// A figure of one kind: its own interval, or of several trials their mean with a t interval over the trials.
Estimate figure_of(const std::vector<RunData>& runs, const TrialKind& kind, const std::string& path);

/// One of each kind of a group, and how they stand to each other.
std::vector<Estimate> figures(const std::vector<RunData>& runs, const TrialGroup& group, const std::string& path);
std::vector<Standing> standings(const std::vector<RunData>& runs, const TrialGroup& group, const std::string& path);

/// b - a. Where both went through the same tests, two at least, test by test with a t interval, so that what a seed's
/// world adds to both falls out; else of independent means.
Difference difference(const std::vector<RunData>& runs, const TrialKind& a, const TrialKind& b,
                      const std::string& path);

}  // namespace compeer::report
