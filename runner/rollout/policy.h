#pragma once
#include "compeer/model.h"
#include "kernels/functions.h"

namespace compeer::rollout {

/// A model with its head made ready for the log-prob kernels: what both the engine and the trainer ask for numbers.
struct Policy {
  explicit Policy(Model& policy_model) : model(policy_model), head(policy_model.head()) {}

  /// Call after parameters were changed in place.
  void parameters_changed() {
    model.parameters_changed();
    head.changed();
  }

  Model& model;
  kernels::Weight head;
};

}  // namespace compeer::rollout
