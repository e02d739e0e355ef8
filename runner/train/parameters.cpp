#include "train/parameters.h"

#include <ATen/ops/zeros.h>

namespace compeer::train {

Parameters::Parameters(Model& model) {
  const auto parameters = model.parameters();
  int64_t total = 0;
  for (const Parameter& p : parameters) total += p.value.numel();
  weights_ = at::zeros({total}, at::kFloat);
  gradient_ = at::zeros({total}, at::kFloat);
  int64_t start = 0;
  for (const Parameter& p : parameters) {
    at::Tensor value = p.value;
    const auto view = weights_.slice(0, start, start + value.numel()).view(value.sizes());
    view.copy_(value.detach());
    value.set_data(view);
    value.mutable_grad() = gradient_.slice(0, start, start + value.numel()).view(value.sizes());
    start += value.numel();
  }
}

std::span<float> Parameters::weights() {
  return {static_cast<float*>(weights_.data_ptr()), static_cast<size_t>(size())};
}
std::span<float> Parameters::gradient() {
  return {static_cast<float*>(gradient_.data_ptr()), static_cast<size_t>(size())};
}

void Parameters::differentiate(const at::Tensor& loss) {
  gradient_.zero_();
  loss.backward();
}

}  // namespace compeer::train
