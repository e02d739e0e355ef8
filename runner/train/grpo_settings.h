#pragma once
#include "compeer/settings.h"
#include "spec/tables.h"
#include "train/metrics/memory.h"

namespace compeer::train {

/// The spec's tables `grpo`, `sampling` and `rewards`.
struct GrpoSettings : spec::GrpoTable {
  explicit GrpoSettings(const Settings& spec);

  spec::Sampling sampling;
  std::vector<double> reward_weights;  ///< one for each reward
  bool reference;                      ///< whether a reference model is needed for a KL term
  double kl_reward = 0;                ///< factor of the KL that is subtracted from rewards

  int64_t leaves() const { return (batch + groups_per_reduction - 1) / groups_per_reduction; }
  bool adapts_entropy_bonus() const { return entropy_control.target > 0; }

  /// Peak memory of a rank with this number of leaves, if the longest prompt has `longest_prompt` tokens. Groups are
  /// differentiated one after the other.
  PeakMemory estimated_peak(int64_t leaves, int64_t longest_prompt) const;
};

}  // namespace compeer::train
