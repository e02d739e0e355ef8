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

// From the scored completions of a step to the gradient of the GRPO objective. A group is one prompt with its G
// completions. A step has one or several updates of the weights with the same completions, so that the policy (the
// model under training) may differ from the one that sampled them; the ratio of their probabilities is the importance
// ratio. The loss mask excludes completions from the loss. Eq. 2 and 3 are those of the paper PEER (arXiv 2508.09521):
// the objective, and the advantages. T is the number of tokens of the longest completion; tensors [targets] concatenate
// the tokens of all completions of a group.

namespace compeer::train {

/// A group prepared for the updates of a step. Keeps a pointer to `group`.
struct LearningGroup {
  /// `mask_truncated`: exclude completions that were truncated at the length limit from the loss.
  LearningGroup(const PromptGroup& group, bool mask_truncated);

  /// Returns for each completion its number of tokens, or 0 if the loss mask excludes it.
  std::vector<double> unmasked_tokens() const;

  /// Returns the input of the objective, padded to [G, T]. `log_prob` and `entropy` [targets] are those of the current
  /// policy.
  grpo::Completions completions(const at::Tensor& log_prob, const at::Tensor& entropy) const;

  const PromptGroup* source;  ///< prompt and completions
  PackedBatch batch;          ///< the same as input of a forward pass
  at::Tensor loss_mask;       ///< float32 [G, 1]: loss mask, 1 if the completion contributes, otherwise 0
  /// float32 [targets]: log-probs under the weights at the start of the run; undefined without a KL term.
  at::Tensor reference;
  std::vector<double> rewards;     ///< one per completion, after reweighting and KL; NaN: no reward
  std::vector<double> advantages;  ///< one per completion
};

/// Returns for each completion the sum over its tokens of the estimated KL between the policy that sampled it and the
/// reference model. Needs LearningGroup::reference. `objective`: the estimator and its limits.
std::vector<double> sampled_kl(const LearningGroup& group, const grpo::Objective& objective);

/// Statistics of an update, for one group or several. operator+= adds `sum` and takes the maximum of the other fields.
struct UpdateStats {
  /// Indices of `sum`.
  enum {
    loss,          ///< the groups' parts of the step's loss
    clipped_low,   ///< number of ratios below the clip range, with a negative advantage
    clipped_high,  ///< number of ratios above the clip range, with a positive advantage
    ratios,        ///< number of ratios: tokens, or completions if there is one ratio per completion
    surrogate,     ///< over completions: mean over tokens of the ratio, times the reward
    entropy,       ///< entropies of unmasked tokens at the time of sampling, in nats
    kl,            ///< KL estimates of unmasked tokens; 0 without a reference model
    n_sums         ///< number of sums
  };
  std::array<double, n_sums> sum{};  ///< [index]: sum over the groups
  double ratio_distance = 0;         ///< maximum of |ratio - 1|
  double rollout_difference = 0;     ///< maximum of |current log-prob - log-prob at the time of sampling|

  UpdateStats& operator+=(const UpdateStats& more);
};

/// Data shared by all groups of an update.
struct UpdateContext {
  grpo::Objective objective;  ///< loss and its settings, with the current entropy bonus
  grpo::StepContext step;     ///< totals of the step, for averages of losses
  RngKey key;  ///< for losses that select tokens at random; `key.step` is the number of the update in the run, from 0
};

/// Destination of a gradient, and how it is written there.
struct Accumulation {
  std::span<float> values;                 ///< one element per trainable weight
  bool add = false;                        ///< add to the gradient collected last instead of overwriting it
  bool is_zero = false;                    ///< `values` are known to be zeros, which need not be cleared
  bool partial = false;                    ///< more will be added before `values` are read
  Parameters::OnReady on_ready = nullptr;  ///< called with each range of elements that is final; may be null
};

/// Runs forward and backward pass for one group, and writes the gradient of its part of the objective (Eq. 2) to
/// `into`. Returns the group's statistics. Local. `policy` and `parameters` belong to the same model.
UpdateStats accumulate_gradient(PolicyPass& policy, Parameters& parameters, const LearningGroup& group,
                                const UpdateContext& context, const Accumulation& into);

/// Sets libtorch's number of threads to 1 during its lifetime. libtorch divides large sums and elementwise operations
/// by the number of threads, so that results would depend on it bit by bit.
class OneThread {
 public:
  OneThread() { at::set_num_threads(1); }
  ~OneThread() { at::set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  const int before_ = at::get_num_threads();  // restored by the destructor
};

/// Totals over all groups of a step, bitwise identical on every rank.
struct StepTotals {
  grpo::StepContext step;           ///< numbers of completions and tokens, entropy threshold
  double unmasked_completions = 0;  ///< number of completions with unmasked tokens
};

/// Sets the metrics of an update in `row`: loss, surrogate, shares of clipped ratios, KL. `sums`: UpdateStats::sum over
/// all groups of the step. `reference`: there is a reference model, and the KL to it is a metric.
void record_update(std::span<const double> sums, const StepTotals& totals, bool reference, MetricRow& row);

/// Collective. Counts completions and tokens of the step, and computes the entropy threshold if the objective is
/// limited to tokens of high entropy. `mine`: the groups of this rank.
StepTotals totals_over_ranks(comm::World& world, const std::vector<LearningGroup>& mine, const GrpoSettings& settings);

/// Collective. Computes the advantages (Eq. 3, or another rule of the settings) from the column "learned", the final
/// reward of each completion. GDPO, which normalizes each reward before they are added, uses the columns `terms`
/// instead, one per reward. `mine`: the columns of this rank's prompts. Returns float64 [prompts of the step, G],
/// bitwise identical on every rank: all ranks compute all advantages, because some rules need the rewards of the whole
/// step.
at::Tensor advantages_over_ranks(comm::World& world, const BatchColumns& mine, const GrpoSettings& settings,
                                 const std::vector<std::string>& terms);

}  // namespace compeer::train
