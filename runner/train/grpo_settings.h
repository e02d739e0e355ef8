#pragma once
#include "compeer/settings.h"
#include "spec/tables.h"
#include "train/metrics/memory.h"

// The settings of a GRPO run. The spec is the file with all settings of a run. A group is one prompt with its
// completions. A leaf is the unit of the sum of gradients over ranks: `groups_per_reduction` consecutive groups of a
// step; one rank accumulates their gradients. The sum adds the gradients of leaves in a fixed order, so that its bits
// do not depend on the number of ranks.

namespace compeer::train {

/// The spec's tables `grpo` (the base class), `sampling` and `rewards`.
struct GrpoSettings : spec::GrpoTable {
  /// Reads the tables of the run's spec.
  explicit GrpoSettings(const Settings& spec);

  spec::Sampling sampling;
  std::vector<double> reward_weights;  ///< weight of each reward in the sum of rewards, in the order of the spec
  bool reference;        ///< true if a KL term needs the reference model: the policy at the start of the run
  double kl_reward = 0;  ///< factor of the KL to the reference model that is subtracted from rewards; 0: none

  /// Number of leaves of a step, over all ranks.
  int64_t leaves() const { return (batch + groups_per_reduction - 1) / groups_per_reduction; }
  /// True if the coefficient of the entropy bonus is adjusted after each step to reach a target entropy.
  bool adapts_entropy_bonus() const { return entropy_control.target > 0; }

  /// Returns what a rank with this number of leaves holds in memory at its peak, if the longest prompt has
  /// `longest_prompt` tokens. The rank runs the backward passes of its groups one after the other.
  PeakMemory estimated_peak(int64_t leaves, int64_t longest_prompt) const;
};

}  // namespace compeer::train
