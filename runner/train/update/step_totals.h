#pragma once
#include <vector>

#include "comm/world.h"
#include "train/grpo_settings.h"
#include "train/update/learning.h"

namespace compeer::train {

/// What the objective needs to know of the whole step; the same bits on every rank.
struct StepTotals {
  grpo::StepContext step;
  double completions = 0;  ///< that count in the loss
};

/// Counts completions and tokens over all groups of the step, and finds the entropy threshold if only tokens of high
/// entropy are learned from. Meets the other ranks.
StepTotals totals_over_ranks(comm::World& world, const std::vector<LearningGroup>& mine, const GrpoSettings& settings);

/// Eq. 3, or what the settings put in its place, from the column "learned"; GDPO normalises the columns `terms` one by
/// one. Every rank computes the advantages of all prompts, because some rules need the rewards of the whole step:
/// float64 [prompts of the step, G], the same bits on every rank. Collective.
at::Tensor advantages_over_ranks(comm::World& world, const BatchColumns& mine, const GrpoSettings& settings,
                                 const std::vector<std::string>& terms);

}  // namespace compeer::train
