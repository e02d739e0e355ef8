// Products with weights, as differentiable functions of tensors.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "kernels/functions.h"
#include "kernels/workers.h"

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
  auto y = at::empty({x.size(0), weight.value().size(0)}, x.options().requires_grad(false));
  multiply(rows_of(x), x.size(0), weight.packed(), bias.defined() ? data(bias) : nullptr, out(y), y.size(1),
           Write::replace);
  return y;
}

// Each column's sum, row after row.
at::Tensor column_sums(const at::Tensor& dy) {
  const int64_t rows = dy.size(0), width = dy.size(1);
  constexpr int64_t kStrip = 128;
  auto total = at::empty({width}, dy.options());
  float* sum = out(total);
  const auto strip = [&, from = data(dy)](int64_t i) {
    const int64_t begin = i * kStrip, count = std::min(kStrip, width - begin);
    std::fill_n(sum + begin, count, 0.0f);
    for (int64_t r = 0; r < rows; ++r) {
      const float* row = from + r * width + begin;
      for (int64_t j = 0; j < count; ++j) sum[begin + j] += row[j];
    }
  };
  share((width + kStrip - 1) / kStrip, strip);
  return total;
}

// A Weight on its way from forward to backward is the number that autograd can keep. Weights live in the model, which
// outlives every graph.
struct Linear : Function<Linear> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& value,
                            const std::optional<at::Tensor>& bias, int64_t weight) {
    context->saved_data["weight"] = weight;
    context->saved_data["bias"] = bias.has_value();
    context->save_for_backward({x, value});
    return product(x, *reinterpret_cast<Weight*>(weight), bias.value_or(at::Tensor()));
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto x = saved[0];
    const auto dy = gradients[0].contiguous();
    const int64_t rows = x.size(0), in = x.size(1), width = dy.size(1);
    at::Tensor dx, dw, dbias;
    if (context->needs_input_grad(0)) {
      dx = at::empty_like(x);
      reinterpret_cast<Weight*>(context->saved_data["weight"].toInt())
          ->multiply_back(data(dy), rows, out(dx), Write::replace);
    }
    if (context->needs_input_grad(1)) {
      dw = at::empty({width, in}, x.options());
      multiply(transposed(dy), width, rows_of(x), rows, in, out(dw), in, Write::replace);
    }
    const bool bias = context->saved_data["bias"].toBool();
    if (bias && context->needs_input_grad(2)) dbias = column_sums(dy);
    return {dx, dw, dbias, at::Tensor()};
  }
};

// What frozen tensors were rearranged to. A copy lives as long as a weight reads it, and its tensor with it.
class Copies {
 public:
  template <class Pack>
  std::shared_ptr<Packed> find(const at::Tensor& value, Format format, Pack pack) {
    const std::lock_guard lock(mutex_);
    std::erase_if(copies_, [](const auto& one) { return one.second.expired(); });
    auto& known = copies_[{value.unsafeGetTensorImpl(), format}];
    auto copy = known.lock();
    if (!copy) known = copy = pack();
    return copy;
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<const void*, Format>, std::weak_ptr<Packed>> copies_;
};

std::shared_ptr<Packed> pack(const at::Tensor& value, Format format, std::shared_ptr<Packed> into) {
  const int64_t in = value.size(1), width = value.size(0);
  if (value.scalar_type() == at::kBFloat16) {
    const auto* bits = reinterpret_cast<const Bfloat16*>(value.const_data_ptr<at::BFloat16>());
    into->pack(MatrixView<Bfloat16>{bits, 1, in}, in, width, format);
  } else {
    into->pack(transposed(value), in, width, format);
  }
  return into;
}

}  // namespace

Weight::Weight(at::Tensor value, const WeightOptions& options)
    : value_(std::move(value)), format_(options.format), frozen_(options.frozen) {
  TORCH_CHECK(value_.dim() == 2 && value_.is_contiguous(), "a weight must be a contiguous matrix");
  TORCH_CHECK(frozen_ || value_.scalar_type() == at::kFloat, "weights that train are float32 tensors");
  TORCH_CHECK(frozen_ || !in_blocks(format_), "weights that train are kept in float32 or bfloat16");
  if (!frozen_) {
    packed_ = std::make_shared<Packed>();
    return;
  }
  static Copies copies;
  packed_ = copies.find(value_, format_, [&] { return pack(value_, format_, std::make_shared<Packed>()); });
  if (options.release) options.release();
}

const Packed& Weight::packed() {
  if (!frozen_ && stale_) pack(value_, format_, packed_);
  stale_ = false;
  return *packed_;
}

void Weight::changed() {
  stale_ = true;
  if (low_rank_) low_rank_->a.changed(), low_rank_->b.changed();
}

void Weight::multiply_back(const float* dy, int64_t rows, float* dx, Write write) {
  const int64_t in = value_.size(1), width = value_.size(0);
  const View left{dy, width, 1};
  if (frozen_) return multiply_by_transpose(left, rows, packed(), dx, in, write);
  multiply(left, rows, {value_.const_data_ptr<float>(), in, 1}, width, in, dx, in, write);
}

void Weight::add_low_rank(at::Tensor a, at::Tensor b, double scale) {
  low_rank_ = std::make_unique<LowRank>(LowRank{Weight(std::move(a)), Weight(std::move(b)), static_cast<float>(scale)});
}

at::Tensor linear(const at::Tensor& x, Weight& weight, const at::Tensor& bias) {
  TORCH_CHECK(!weight.low_rank(), "low-rank changes stand in decoder blocks only");
  const bool graph = at::GradMode::is_enabled() &&
                     (x.requires_grad() || weight.value().requires_grad() || (bias.defined() && bias.requires_grad()));
  if (!graph) return product(x, weight, bias);
  return Linear::apply(x, weight.value(), bias.defined() ? std::optional(bias) : std::nullopt,
                       reinterpret_cast<int64_t>(&weight));
}

at::Tensor logits(const at::Tensor& hidden, Weight& head) { return product(hidden, head, {}); }

}  // namespace compeer::kernels
