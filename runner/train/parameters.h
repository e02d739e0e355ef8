#pragma once
#include <ATen/core/Tensor.h>

#include <span>
#include <vector>

#include "compeer/model.h"

namespace compeer::train {

/// A model's parameters and their gradients, each as one flat array, which sums, optimizer and checkpoints work on.
/// The model's own tensors become views of them.
class Parameters {
 public:
  explicit Parameters(Model& model);

  int64_t size() const { return weights_.numel(); }
  std::span<float> weights();
  std::span<float> gradient();

  /// Gradient of a scalar, replacing the last one.
  void differentiate(const at::Tensor& loss);

 private:
  at::Tensor weights_, gradient_;
};

}  // namespace compeer::train
