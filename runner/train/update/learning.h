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

/// A group prepared for the updates of a step. Keeps a pointer to the PromptGroup.
struct LearningGroup {
  /// `mask_truncated`: exclude completions that were truncated at the length limit from the loss.
  LearningGroup(const PromptGroup& group, bool mask_truncated);

  /// Number of unmasked tokens of each completion.
  std::vector<double> unmasked_tokens() const;

  /// Returns the input of the objective. `log_prob` and `entropy` [targets] are those of the current policy.
  grpo::Completions completions(const at::Tensor& log_prob, const at::Tensor& entropy) const;

  const PromptGroup* source;
  PackedBatch batch;               ///< completions and prompt as one batch
  at::Tensor loss_mask;            ///< float32 [G, 1]: loss mask, 1 if the completion contributes, otherwise 0
  at::Tensor reference;            ///< float32 [targets]: log-probs under the reference model, or undefined
  std::vector<double> rewards;     ///< one per completion, column "learned"
  std::vector<double> advantages;  ///< one per completion
};

/// Per completion, the sum over its tokens of the estimated KL between the sampling policy and the reference model.
std::vector<double> sampled_kl(const LearningGroup& group, const grpo::Objective& objective);

/// Statistics of an update. operator+= adds `sum` and takes the maximum of the other fields.
struct UpdateStats {
  /// Indices of `sum`. loss: of the step's loss. clipped_low, clipped_high, ratios: see grpo::Clipping. surrogate: per
  /// completion, mean ratio x reward. entropy: entropies of unmasked tokens at the time of sampling. kl: KL estimates
  /// of unmasked tokens. `n_sums` is the number of sums.
  enum { loss, clipped_low, clipped_high, ratios, surrogate, entropy, kl, n_sums };
  std::array<double, n_sums> sum{};
  double ratio_distance = 0;      ///< maximum of |ratio - 1|
  double rollout_difference = 0;  ///< maximum of |current log-prob - log-prob at the time of sampling|

  UpdateStats& operator+=(const UpdateStats& more);
};

/// Data shared by all groups of an update.
struct UpdateContext {
  grpo::Objective objective;
  grpo::StepContext step;  ///< totals of the step by which the loss is normalized
  RngKey key;              ///< random numbers of losses that select tokens at random; `key.step` counts updates
};

/// Destination of a gradient, and how it is written there.
struct Accumulation {
  std::span<float> values;                 ///< one element per parameter
  bool add = false;                        ///< add to the gradient collected last instead of overwriting it
  bool is_zero = false;                    ///< `values` are known to be zeros, which need not be cleared
  bool partial = false;                    ///< more will be added before `values` are read
  Parameters::OnReady on_ready = nullptr;  ///< called with each range of elements that is final
};

/// Runs forward and backward pass for one group, and writes the gradient of its part of the objective (Eq. 2) to
/// `into`. Returns the group's statistics. Local.
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
  const int before_ = at::get_num_threads();
};

/// Totals over all groups of a step, bitwise identical on every rank.
struct StepTotals {
  grpo::StepContext step;
  double unmasked_completions = 0;  ///< number of completions with unmasked tokens
};

/// Sets the metrics of an update. `sums`: UpdateStats::sum over all groups of the step. `reference`: there is a
/// reference model, whose KL is a metric.
void record_update(std::span<const double> sums, const StepTotals& totals, bool reference, MetricRow& row);

/// Collective. Counts completions and tokens of the step, and computes the entropy threshold if the objective is
/// limited to tokens of high entropy.
StepTotals totals_over_ranks(comm::World& world, const std::vector<LearningGroup>& mine, const GrpoSettings& settings);

/// Collective. Computes the advantages (Eq. 3, or as the settings say) from the column "learned"; GDPO uses the columns
/// `terms` instead. Returns float64 [prompts of the step, G], bitwise identical on every rank: all ranks compute all
/// advantages, because some rules need the rewards of the whole step.
at::Tensor advantages_over_ranks(comm::World& world, const BatchColumns& mine, const GrpoSettings& settings,
                                 const std::vector<std::string>& terms);

}  // namespace compeer::train
