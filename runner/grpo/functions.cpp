// Elementwise exp and log whose bits do not depend on the processor.
#include "grpo/functions.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>

namespace compeer::grpo {

namespace {

template <class Function>
at::Tensor of_each(const at::Tensor& x, Function function) {
  const auto values = x.detach().to(at::kDouble).contiguous();
  auto results = at::empty_like(values);
  const double* const from = values.const_data_ptr<double>();
  std::transform(from, from + values.numel(), results.mutable_data_ptr<double>(), function);
  return results.to(x.scalar_type());
}

struct Exponential : torch::autograd::Function<Exponential> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x) {
    const auto y = of_each(x, [](double value) { return std::exp(value); });
    context->save_for_backward({y});
    return y;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    return {gradients[0] * context->get_saved_variables()[0]};
  }
};

}  // namespace

at::Tensor exact_exp(const at::Tensor& x) { return x.is_cpu() ? Exponential::apply(x) : x.exp(); }

at::Tensor exact_log(const at::Tensor& x) {
  return x.is_cpu() ? of_each(x, [](double value) { return std::log(value); }) : x.log();
}

}  // namespace compeer::grpo
