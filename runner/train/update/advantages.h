#pragma once
#include <string>
#include <vector>

#include "comm/world.h"
#include "train/batch/scoring.h"
#include "train/grpo_settings.h"

namespace compeer::train {

/// The advantages of all groups of a step, the same bits on every rank.
struct Advantages {
  at::Tensor all;  ///< float64 [prompts, G]

  /// One number for each completion of the group with this index.
  std::vector<double> of(int64_t group) const;
};

/// Eq. 3, or what the settings put in its place. Meets the other ranks: every rank computes the advantages of all
/// groups from everyone's rewards, because some rules need those of the whole step. `terms`: the columns that GDPO
/// normalises one by one (shaped_columns).
Advantages advantages_over_ranks(comm::World& world, const ScoredGroups& mine, const GrpoSettings& settings,
                                 const std::vector<std::string>& terms);

}  // namespace compeer::train
