#pragma once
#include "comm/world.h"
#include "train/grpo_settings.h"
#include "train/update/learning.h"

namespace compeer::train {

/// Collective. The numbers of all ranks, in rank order, on every rank.
std::vector<double> of_everyone(comm::World& world, const std::vector<double>& mine);

/// What the groups of a step share. Every rank computes it from the same numbers, those of all groups in their order,
/// so it has the same bits everywhere. Making one is collective.
struct Pooled {
  Pooled(comm::World& world, const std::vector<LearningGroup>& mine, const GrpoSettings& settings);

  grpo::Step step;
  double completions = 0;  ///< that count in the loss
  at::Tensor advantages;   ///< float64 [prompts, G]

  /// One number for each completion of a group.
  std::vector<double> advantages_of(int64_t group) const;
};

}  // namespace compeer::train
