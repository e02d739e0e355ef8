#pragma once
#include <functional>

#include "compeer/model.h"
#include "kernels/arithmetic.h"
#include "rollout/drafts.h"

namespace compeer::rollout {

/// The policy of reinforcement learning: a language model with its output head (the matrix from hidden states to
/// logits) prepared for the log-probability kernels. The inference engine and the trainer share one object, so both
/// compute with the same weights. Also holds the state of speculative decoding.
struct Policy {
  /// Keeps a reference to the model, which must outlive the policy.
  explicit Policy(Model& policy_model);

  /// Must be called after parameters of the model were changed in place: discards copies made of them.
  void parameters_changed() {
    model.parameters_changed();
    head.changed();
  }

  Model& model;
  /// Calls `Model::forward`: batch and KV cache (null in training) -> hidden states. If the model is a plugin, its
  /// owner replaces this function by one that also turns the plugin's exceptions into errors that name the plugin.
  std::function<at::Tensor(const Batch&, Cache*)> forward;
  const kernels::Arithmetic& arithmetic;  ///< the model's kernels: exact or libtorch
  kernels::Weight head;                   ///< output head [vocabulary, hidden]
  NgramDrafts drafts;                     ///< draft model of speculative decoding
  DraftLength draft_length;               ///< chooses the number of draft tokens per forward pass
};

}  // namespace compeer::rollout
