#pragma once
#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
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

  /// Gradient of a scalar into `gradient`, whatever stands there. The memory must live as long as this object.
  void differentiate(const at::Tensor& loss, std::span<float> gradient);

  /// All that `backward` adds to the parameters' gradients, into `gradient`; `on` goes on from what stands there.
  void collect(std::span<float> gradient, bool on, const std::function<void()>& backward);

 private:
  std::vector<at::Tensor> values_;
  at::Tensor weights_;
  std::map<const float*, std::vector<at::Tensor>> views_;  // of each memory that held gradients
};

/// sum += more, by all threads.
void add(std::span<float> sum, std::span<const float> more);

}  // namespace compeer::train
