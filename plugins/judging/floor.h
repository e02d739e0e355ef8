#pragma once
#include <string>

namespace compeer::judging {

/// A policy drifts wherever its judge can't see a mistake. Throws Error unless the run in the folder `accuracy`
/// measured this judge (stage reward_accuracy; Panel::fingerprints) and found that of the wrong steps, of each kind, it
/// calls at least the share `floor` wrong: exit 3 if it finds too few, exit 4 if that was not measured.
void hold_to_floor(const std::string& accuracy, const std::string& judge, const std::string& fingerprint, double floor);

}  // namespace compeer::judging
