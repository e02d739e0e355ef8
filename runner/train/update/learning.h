#pragma once
#include <array>
#include <functional>
#include <limits>

#include "grpo/objective.h"
#include "train/batch/rollouts.h"
#include "train/batch/sequences.h"
#include "train/update/parameters.h"

namespace compeer::train {

/// A group as the updates of a step see it.
struct LearningGroup {
  /// `mask_truncated`: completions that were cut off don't count in the loss.
  LearningGroup(const ScoredGroup& group, bool mask_truncated);

  /// Tokens of each completion that count.
  std::vector<double> counted() const;

  /// What the objective works on, from log-probs and entropies [targets] of the policy as it is now.
  grpo::Completions completions(const at::Tensor& log_prob, const at::Tensor& entropy) const;

  const ScoredGroup* scored;
  GroupBatch batch;
  at::Tensor counts;               ///< float32 [G, 1]: 0 for completions that do not count, else 1
  at::Tensor reference;            ///< float32 [targets]: log-probs under the reference model; or undefined
  std::vector<double> advantages;  ///< one for each completion
};

/// How a group passes through the model.
struct Passes {
  /// The policy's log-probs and entropies of a group's targets.
  std::function<kernels::TokenLogprobs(const GroupBatch&)> forward;

  /// For groups of more tokens than `at_once`: leads the gradients of these back, which are then computed without a
  /// graph. `last` is to be called before the last pass over the parameters.
  std::function<void(const GroupBatch&, const at::Tensor& dlog_prob, const at::Tensor& dentropy,
                     const std::function<void()>& last)>
      back = nullptr;
  int64_t at_once = std::numeric_limits<int64_t>::max();
};
kernels::TokenLogprobs log_probs(rollout::Policy& policy, const GroupBatch& batch, double temperature);

/// KL estimates summed over the tokens of each completion, between the policy that sampled and the reference.
std::vector<double> sampled_kl(const LearningGroup& group, const grpo::Objective& objective);

/// What was read off one group on the way. Sums add up over groups, the others are largest values.
struct UpdateStats {
  enum { loss, cut_low, cut_high, places, surrogate, entropy, kl, sums };
  std::array<double, sums> sum{};
  double furthest = 0;    ///< |ratio - 1|
  double difference = 0;  ///< |log-prob now - log-prob when sampled|

  UpdateStats& operator+=(const UpdateStats& more);
};

/// The gradient of one group's part of the objective, into `gradient`; `on`: in one chain with those that stand there.
/// `ready` hears of its elements as they are complete. `key` gives the numbers of losses that draw tokens; its step is
/// that of the optimizer.
UpdateStats learn(const Passes& passes, Parameters& parameters, const LearningGroup& group,
                  const grpo::Objective& objective, const grpo::Step& step, RngKey key, std::span<float> gradient,
                  bool on = false, const Parameters::Ready& ready = nullptr);

}  // namespace compeer::train
