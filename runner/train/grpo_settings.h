#pragma once
#include "compeer/settings.h"
#include "grpo/advantage.h"
#include "grpo/objective.h"
#include "rollout/sampling.h"
#include "train/metrics/memory.h"

namespace compeer::train {

/// The objective and the rule for advantages that the spec's table `grpo` stands for. All its keys must be there.
grpo::Objective objective_from(const Settings& grpo);
grpo::AdvantageRule advantage_rule_from(const Settings& grpo);

/// The spec's tables `grpo`, `sampling` and `rewards`, as the equations want them.
struct GrpoSettings {
  explicit GrpoSettings(const Settings& spec);

  int64_t group_size, batch, steps, updates;
  int64_t resample;      ///< how often a group whose rewards are all equal is replaced, at most
  int64_t together;      ///< number of groups that are one leaf of every sum over ranks
  int64_t micro_tokens;  ///< groups of more tokens are differentiated in parts
  std::string split;
  double lr;
  rollout::Sampling sampling;

  int64_t leaves() const { return (batch + together - 1) / together; }

  /// Of a rank with so many of them, if the longest prompt has so many tokens. Groups are differentiated one after the
  /// other.
  PeakMemory demand(int64_t leaves, int64_t longest) const;

  grpo::Objective objective;
  std::optional<grpo::EntropyControl> entropy_control;  ///< if the entropy bonus is adapted
  double high_entropy_share;
  bool mask_truncated;

  bool gdpo;                           ///< each reward is normalised by itself; else advantages follow `rule`
  std::vector<double> reward_weights;  ///< one for each reward
  grpo::AdvantageRule rule;

  bool reference;    ///< whether a reference model is needed for a KL term
  double kl_reward;  ///< factor of the KL that is subtracted from rewards; that of the loss is in `objective`
};

}  // namespace compeer::train
