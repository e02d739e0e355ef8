// Products with weights, as differentiable functions of tensors.
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include "kernels/functions.h"

namespace compeer::kernels {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::tensor_list;

const float* data(const at::Tensor& t) { return t.const_data_ptr<float>(); }
float* out(at::Tensor& t) { return t.mutable_data_ptr<float>(); }
View rows_of(const at::Tensor& t) { return {data(t), t.size(1), 1}; }
View transposed(const at::Tensor& t) { return {data(t), 1, t.size(1)}; }

at::Tensor product(const at::Tensor& x, Weight& weight, const at::Tensor& bias) {
  auto y = at::empty({x.size(0), weight.value().size(0)}, x.options());
  multiply(rows_of(x), x.size(0), weight.packed(), bias.defined() ? data(bias) : nullptr, out(y), y.size(1),
           Write::replace);
  return y;
}

// A Weight on its way from forward to backward is the number that autograd can keep. Weights live in the model, which
// outlives every graph.
struct Linear : Function<Linear> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& value,
                            const std::optional<at::Tensor>& bias, int64_t weight) {
    context->saved_data["bias"] = bias.has_value();
    context->save_for_backward({x, value});
    return product(x, *reinterpret_cast<Weight*>(weight), bias.value_or(at::Tensor()));
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto x = saved[0], value = saved[1].to(at::kFloat);
    const auto dy = gradients[0].contiguous();
    const int64_t rows = x.size(0), in = x.size(1), width = dy.size(1);
    auto dx = at::empty_like(x), dw = at::empty({width, in}, x.options());
    multiply(rows_of(dy), rows, Packed(rows_of(value), width, in), nullptr, out(dx), in, Write::replace);
    const Packed right(rows_of(x), rows, in);
    multiply(transposed(dy), width, right, nullptr, out(dw), in, Write::replace);
    at::Tensor dbias;
    if (context->saved_data["bias"].toBool()) {
      dbias = at::zeros({width}, x.options());
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t i = 0; i < width; ++i) out(dbias)[i] += data(dy)[r * width + i];
      }
    }
    return {dx, dw, dbias, at::Tensor()};
  }
};

}  // namespace

Weight::Weight(at::Tensor value, WeightOptions options)
    : value_(std::move(value)), precision_(options.precision), frozen_(options.frozen) {
  TORCH_CHECK(value_.dim() == 2 && value_.is_contiguous(), "a weight must be a contiguous matrix");
  TORCH_CHECK(frozen_ || (value_.scalar_type() == at::kFloat && precision_ == at::kFloat),
              "weights that train are float32");
  if (frozen_) pack();
  if (frozen_ && options.release) options.release();
}

void Weight::pack() {
  const auto rounded = value_.detach().to(precision_).to(at::kFloat);
  packed_.pack(transposed(rounded), rounded.size(1), rounded.size(0));
}

const Packed& Weight::packed() {
  if (packed_.empty()) pack();
  return packed_;
}

void Weight::changed() {
  TORCH_CHECK(!frozen_, "a frozen weight was changed");
  packed_ = Packed();
}

at::Tensor linear(const at::Tensor& x, Weight& weight, const at::Tensor& bias) {
  return Linear::apply(x, weight.value(), bias.defined() ? std::optional(bias) : std::nullopt,
                       reinterpret_cast<int64_t>(&weight));
}

at::Tensor logits(const at::Tensor& hidden, Weight& head) { return product(hidden, head, {}); }

}  // namespace compeer::kernels
