#pragma once
#include <functional>
#include <limits>

#include "compeer/model.h"
#include "plugin/open.h"
#include "rollout/policy.h"
#include "train/batch/sequences.h"

namespace compeer::train {

/// Forward and backward pass of one group through the trained policy. Tests implement it with a model of a few numbers.
class PolicyPass {
 public:
  virtual ~PolicyPass() = default;

  /// Returns log-probs and entropies of the group's targets; with an autograd graph if gradients are enabled.
  virtual kernels::TokenLogprobs forward(const PackedBatch& batch) = 0;

  /// True if a group is too large for one autograd graph, so that `backward_in_parts` must be used.
  virtual bool needs_parts(const PackedBatch&) const { return false; }

  /// Accumulates the parameters' gradients, given the gradients of log-probs and entropies ([targets]; `dentropy` may
  /// be undefined). Calls `before_last` before the last pass over the parameters. The default throws.
  virtual void backward_in_parts(const PackedBatch& batch, const at::Tensor& dlog_prob, const at::Tensor& dentropy,
                                 const std::function<void()>& before_last);
};

/// The policy of a run: calls its model plugin under the plugin's guard. Keeps references to both arguments.
class ModelPass : public PolicyPass {
 public:
  /// Groups of more than `most_tokens` tokens, prompt included, are differentiated in parts of `most_tokens` tokens of
  /// completions.
  ModelPass(plugin::Plugin<Model>& model, rollout::Policy& policy, double temperature,
            int64_t most_tokens = std::numeric_limits<int64_t>::max())
      : model_(model), policy_(policy), temperature_(temperature), most_tokens_(most_tokens) {}

  kernels::TokenLogprobs forward(const PackedBatch& batch) override;
  bool needs_parts(const PackedBatch& batch) const override;
  void backward_in_parts(const PackedBatch& batch, const at::Tensor& dlog_prob, const at::Tensor& dentropy,
                         const std::function<void()>& before_last) override;

 private:
  plugin::Plugin<Model>& model_;
  rollout::Policy& policy_;
  const double temperature_;
  const int64_t most_tokens_;
};

/// Backward pass of a group in parts, to limit the activations in memory: those of the prompt and of at most `most`
/// completion tokens, but at least one completion, at a time. `dlog_prob` and `dentropy` (may be undefined) are the
/// gradients of the group's log-probs and entropies, [targets]. The prompt's forward pass runs once; its backward pass
/// runs last, after all completions have added to the gradients of its keys, values and last hidden state. `last` is
/// called before that pass. The model must implement TrainableInParts.
///
/// The parameters' gradients are bitwise identical to those of a single backward pass: each is one chain of additions
/// over the rows of the group's batch, in which the completions precede the prompt.
void backward_in_parts(rollout::Policy& policy, const PackedBatch& group, double temperature, int64_t most,
                       const at::Tensor& dlog_prob, const at::Tensor& dentropy,
                       const std::function<void()>& last = nullptr);

}  // namespace compeer::train
