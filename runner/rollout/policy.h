#pragma once
#include <functional>

#include "compeer/model.h"
#include "kernels/arithmetic.h"
#include "rollout/drafts.h"

namespace compeer::rollout {

/// A model with its output head prepared for the log-prob kernels; used by both the engine and the trainer. Also holds
/// the state of speculative decoding. Keeps a reference to the model, which must outlive it.
struct Policy {
  explicit Policy(Model& policy_model);

  /// Must be called after parameters were changed in place.
  void parameters_changed() {
    model.parameters_changed();
    head.changed();
  }

  Model& model;
  /// Calls `Model::forward`. The owner of a model plugin replaces it with a call through `plugin::Plugin::call`.
  std::function<at::Tensor(const Batch&, Cache*)> forward;
  const kernels::Arithmetic& arithmetic;  ///< the model's kernels: exact or libtorch
  kernels::Weight head;                   ///< [vocabulary, hidden]
  NgramDrafts drafts;
  DraftLength draft_length;
};

}  // namespace compeer::rollout
