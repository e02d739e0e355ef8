#pragma once
#include "compeer/settings.h"
#include "grpo/advantage.h"
#include "grpo/entropy.h"
#include "grpo/objective.h"
#include "rollout/sampling.h"

namespace compeer::train {

/// The spec's tables `grpo` and `sampling`, as the equations want them.
struct GrpoSettings {
  explicit GrpoSettings(const Settings& spec);

  int64_t group_size, batch, steps, updates;
  int64_t resample;      ///< how often a group whose rewards are all equal is replaced, at most
  int64_t together;      ///< groups that are one leaf of every sum
  int64_t micro_tokens;  ///< groups of more tokens are differentiated in parts
  std::string split;
  double lr;
  rollout::Sampling sampling;

  int64_t leaves() const { return (batch + together - 1) / together; }

  grpo::Objective objective;
  std::optional<grpo::EntropyControl> entropy_control;  ///< the entropy bonus moves
  double high_entropy_share;
  bool mask_truncated;

  bool gdpo;                           ///< else `rule`
  std::vector<double> reward_weights;  ///< one for each reward
  grpo::AdvantageRule rule;

  bool reference;    ///< is a KL divergence asked for at all?
  double kl_reward;  ///< factor of the KL that is taken off rewards; that of the loss is in `objective`
};

}  // namespace compeer::train
