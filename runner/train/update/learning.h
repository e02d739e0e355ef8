#pragma once
#include <ATen/Parallel.h>

#include <array>
#include <vector>

#include "comm/world.h"
#include "grpo/objective.h"
#include "train/batch/sequences.h"
#include "train/batch/step_batch.h"
#include "train/grpo_settings.h"
#include "train/metrics/metric_row.h"
#include "train/update/parameters.h"
#include "train/update/policy_pass.h"

namespace compeer::train {

/// A group as the updates of a step see it.
struct LearningGroup {
  /// `mask_truncated`: completions that were cut off don't count in the loss.
  LearningGroup(const PromptGroup& group, bool mask_truncated);

  /// For each completion, the number of its tokens that count.
  std::vector<double> counted() const;

  /// The input of the objective, from log-probs and entropies [targets] of the policy as it is now.
  grpo::Completions completions(const at::Tensor& log_prob, const at::Tensor& entropy) const;

  const PromptGroup* source;
  GroupBatch batch;
  at::Tensor counts;               ///< float32 [G, 1]: 0 for completions that do not count, else 1
  at::Tensor reference;            ///< float32 [targets]: log-probs under the reference model; or undefined
  std::vector<double> rewards;     ///< one for each completion
  std::vector<double> advantages;  ///< one for each completion
};

/// For each completion, the KL estimates of its tokens, added up: between the policy that sampled and the reference.
std::vector<double> sampled_kl(const LearningGroup& group, const grpo::Objective& objective);

/// Statistics of an update. Sums add up over groups, the others are largest values.
struct UpdateStats {
  enum { loss, cut_low, cut_high, places, surrogate, entropy, kl, sums };
  std::array<double, sums> sum{};
  double ratio_distance = 0;      ///< |ratio - 1|
  double rollout_difference = 0;  ///< |log-prob now - log-prob when sampled|

  UpdateStats& operator+=(const UpdateStats& more);
};

/// What the groups of an update have in common.
struct UpdateGoal {
  grpo::Objective objective;
  grpo::StepContext step;
  RngKey key;  ///< of losses that draw tokens; its step counts updates
};

/// Where a gradient goes.
struct GradientSum {
  std::span<float> values;
  bool add = false;                   ///< to what stands there; else that is overwritten
  bool zeros = false;                 ///< stand there
  bool more = false;                  ///< will be added before anybody reads it
  Parameters::Ready ready = nullptr;  ///< is told which elements are complete
};

/// The gradient of one group's part of the objective (Eq. 2).
UpdateStats learn(PolicyPass& policy, Parameters& parameters, const LearningGroup& group, const UpdateGoal& goal,
                  const GradientSum& into);

/// While it lives, tensor operations stay on this thread. The library cuts a large sum by the number of its threads,
/// and elementwise operations at places that follow from it, so that bits would depend on that number.
class OneThread {
 public:
  OneThread() { at::set_num_threads(1); }
  ~OneThread() { at::set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  const int before_ = at::get_num_threads();
};

/// What the objective needs to know of the whole step; the same bits on every rank.
struct StepTotals {
  grpo::StepContext step;
  double completions = 0;  ///< that count in the loss
};

/// Writes the metrics of an update: `sums` of UpdateStats over all groups of the step. `reference`: there is a KL term.
void record_update(std::span<const double> sums, const StepTotals& totals, bool reference, MetricRow& row);

/// Counts completions and tokens over all groups of the step, and finds the entropy threshold if only tokens of high
/// entropy are learned from. Meets the other ranks.
StepTotals totals_over_ranks(comm::World& world, const std::vector<LearningGroup>& mine, const GrpoSettings& settings);

/// Eq. 3, or what the settings put in its place, from the column "learned"; GDPO normalises the columns `terms` one by
/// one. Every rank computes the advantages of all prompts, because some rules need the rewards of the whole step:
/// float64 [prompts of the step, G], the same bits on every rank. Collective.
at::Tensor advantages_over_ranks(comm::World& world, const BatchColumns& mine, const GrpoSettings& settings,
                                 const std::vector<std::string>& terms);

}  // namespace compeer::train
