// Prepares a model's output head for the log-prob kernels.
#include "rollout/policy.h"

namespace compeer::rollout {

namespace {

// The head in the format `ModelShape::head`, where float32 means the stored type; in bfloat16 pairs if the model
// computes in bfloat16. A frozen head is repacked once.
kernels::Weight head_of(Model& model) {
  const auto matrix = model.head();
  auto format = model.shape().head;
  if (matrix.scalar_type() == at::kBFloat16 && format == WeightFormat::float32) format = WeightFormat::bfloat16;
  if (model.shape().compute == at::kBFloat16) format = WeightFormat::bfloat16_pairs;
  return {matrix, {format, !matrix.requires_grad(), nullptr, !model.shape().exact}};
}

}  // namespace

Policy::Policy(Model& policy_model)
    : model(policy_model),
      forward([&policy_model](const Batch& batch, Cache* cache) { return policy_model.forward(batch, cache); }),
      arithmetic(policy_model.shape().exact ? kernels::exact() : kernels::libtorch()),
      head(head_of(policy_model)) {}

}  // namespace compeer::rollout
