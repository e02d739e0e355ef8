#pragma once
#include <functional>
#include <limits>

#include "compeer/model.h"
#include "plugin/open.h"
#include "rollout/policy.h"
#include "train/batch/sequences.h"

namespace compeer::train {

/// Forward and backward of one group through the policy that is trained. Tests put a model of a few numbers here.
class PolicyPass {
 public:
  virtual ~PolicyPass() = default;

  /// Log-probs and entropies of the group's targets; with a graph if gradients are enabled.
  virtual kernels::TokenLogprobs forward(const GroupBatch& batch) = 0;

  /// Whether a group is too large for one graph, so that `backward_in_parts` must be used.
  virtual bool needs_parts(const GroupBatch&) const { return false; }

  /// Adds to the parameters' gradients, given those of the log-probs and entropies (undefined: none). Calls
  /// `before_last` before the last pass over the parameters.
  virtual void backward_in_parts(const GroupBatch& batch, const at::Tensor& dlog_prob, const at::Tensor& dentropy,
                                 const std::function<void()>& before_last);
};

/// The model plugin of a run, called under the plugin's guard.
class ModelPass : public PolicyPass {
 public:
  /// Groups of more than `most_tokens` are differentiated in parts of so many tokens.
  ModelPass(plugin::Plugin<Model>& model, rollout::Policy& policy, double temperature,
            int64_t most_tokens = std::numeric_limits<int64_t>::max())
      : model_(model), policy_(policy), temperature_(temperature), most_tokens_(most_tokens) {}

  kernels::TokenLogprobs forward(const GroupBatch& batch) override;
  bool needs_parts(const GroupBatch& batch) const override;
  void backward_in_parts(const GroupBatch& batch, const at::Tensor& dlog_prob, const at::Tensor& dentropy,
                         const std::function<void()>& before_last) override;

 private:
  plugin::Plugin<Model>& model_;
  rollout::Policy& policy_;
  const double temperature_;
  const int64_t most_tokens_;
};

/// Leads the gradients of a group's log-probs and entropies (undefined: none) into its model, some completions after
/// the others: of no more than `most` of their tokens, and at least of one completion, activations are in memory at
/// once. The prompt is computed once, and differentiated last, when all completions have said what it is to blame for.
///
/// Parameters' gradients have the same bits as if the group had been differentiated as a whole: each is one chain of
/// additions over the rows of the group's batch, in which completions come before the prompt. `last` is called before
/// the prompt's, which no other pass follows.
void backward_in_parts(rollout::Policy& policy, const GroupBatch& group, double temperature, int64_t most,
                       const at::Tensor& dlog_prob, const at::Tensor& dentropy,
                       const std::function<void()>& last = nullptr);

}  // namespace compeer::train
