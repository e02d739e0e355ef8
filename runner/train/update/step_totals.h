#pragma once
#include <vector>

#include "comm/world.h"
#include "train/grpo_settings.h"
#include "train/update/learning.h"

namespace compeer::train {

/// The numbers of all ranks, in rank order, on every rank. Meets the other ranks.
std::vector<double> from_all_ranks(comm::World& world, const std::vector<double>& mine);

/// What the objective needs to know of the whole step; the same bits on every rank.
struct StepTotals {
  grpo::StepContext step;
  double completions = 0;  ///< that count in the loss
};

/// Counts completions and tokens over all groups of the step, and finds the entropy threshold if only tokens of high
/// entropy are learned from. Meets the other ranks.
StepTotals totals_over_ranks(comm::World& world, const std::vector<LearningGroup>& mine, const GrpoSettings& settings);

}  // namespace compeer::train
