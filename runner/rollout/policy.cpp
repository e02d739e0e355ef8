#include "rollout/policy.h"

namespace compeer::rollout {

namespace {

// A head that is only read is kept as it is stored, and rearranged once.
kernels::Weight head_of(Model& model) {
  const auto matrix = model.head();
  const bool half = matrix.scalar_type() == at::kBFloat16;
  return {matrix, {half ? at::kBFloat16 : at::kFloat, !matrix.requires_grad(), nullptr}};
}

}  // namespace

Policy::Policy(Model& policy_model)
    : model(policy_model),
      forward([&policy_model](const Batch& batch, Cache* cache) { return policy_model.forward(batch, cache); }),
      arithmetic(policy_model.shape().exact ? kernels::exact() : kernels::libtorch()),
      head(head_of(policy_model)) {}

}  // namespace compeer::rollout
