#pragma once
#include <functional>

#include "compeer/model.h"
#include "kernels/arithmetic.h"
#include "rollout/drafts.h"

namespace compeer::rollout {

/// A model with its head made ready for the log-prob kernels: what both the engine and the trainer ask for numbers. And
/// what it says, as far as that helps to guess what it will say.
struct Policy {
  explicit Policy(Model& policy_model);

  /// Call after parameters were changed in place.
  void parameters_changed() {
    model.parameters_changed();
    head.changed();
  }

  Model& model;
  /// How the engine calls the model; who opened it as a plugin puts a guard around it.
  std::function<at::Tensor(const Batch&, Cache*)> forward;
  const kernels::Arithmetic& arithmetic;  ///< that the model computes with
  kernels::Weight head;
  Drafts drafts;
  DraftLength draft_length;
};

}  // namespace compeer::rollout
