// Packing of weight matrices, and linear layers as differentiable functions of tensors.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "base/pages.h"
#include "kernels/functions.h"
#include "kernels/graph.h"
#include "kernels/rows.h"

namespace compeer::kernels {

namespace {

const float* data(const at::Tensor& t) { return t.const_data_ptr<float>(); }
float* out(at::Tensor& t) { return t.mutable_data_ptr<float>(); }
View rows_of(const at::Tensor& t) { return {data(t), t.size(1), 1}; }
View transposed(const at::Tensor& t) { return {data(t), 1, t.size(1)}; }

at::Tensor product(const at::Tensor& x, Weight& weight, const at::Tensor& bias) {
  auto y = at::empty({x.size(0), weight.value().size(0)}, x.options().requires_grad(false));
  multiply(rows_of(x), x.size(0), weight.factor(x.size(0)), bias.defined() ? data(bias) : nullptr, out(y), y.size(1),
           Write::replace);
  return y;
}

// The packed copies of frozen tensors. A copy exists as long as a Weight uses it, and that Weight keeps the tensor
// alive.
class Copies {
 public:
  // Returns the copy of `value` in this format, made by pack() if there is none. Thread-safe.
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
  TORCH_CHECK(frozen_ || options.plain || value_.scalar_type() == at::kFloat,
              "trainable weights must be float32 tensors");
  TORCH_CHECK(frozen_ || !is_quantized(format_), "trainable weights must be stored in float32 or bfloat16");
  if (!frozen_) {
    packed_ = std::make_shared<Packed>();
    return;
  }
  if (options.plain) return;
  static Copies copies;
  packed_ = copies.find(value_, format_, [&] { return pack(value_, format_, std::make_shared<Packed>()); });
  if (options.release) options.release();
}

const Packed& Weight::packed() {
  if (!frozen_ && stale_) pack(value_, format_, packed_);
  stale_ = false;
  return *packed_;
}

RightMatrix Weight::unpacked() const {
  return {transposed(value_), value_.size(1), value_.size(0), in_pairs() ? format_ : Format::float32};
}

RightMatrix Weight::factor(int64_t rows) {
  if (frozen_ || rows < min_rows_unpacked) return packed();
  if (at::GradMode::is_enabled() ? pages_kept : !stale_) return packed();
  packed_->forget();
  stale_ = true;
  return unpacked();
}

RightMatrix Weight::factor_back(int64_t rows) {
  if (frozen_ || (in_pairs() && rows < min_rows_unpacked)) return packed();
  return unpacked();
}

void Weight::changed() {
  stale_ = true;
  for (const auto& change : low_rank_) {
    if (change) change->a.changed(), change->b.changed();
  }
}

void Weight::multiply_back(const float* dy, int64_t rows, float* dx, Write write) {
  multiply_by_transpose({dy, value_.size(0), 1}, rows, factor_back(rows), dx, value_.size(1), write);
}

void Weight::add_gradient(const float* dy, const float* x, int64_t rows, const std::vector<int64_t>& runs,
                          float* dw) const {
  const int64_t in = value_.size(1), width = value_.size(0);
  const View left{dy, 1, width}, right{x, in, 1};
  if (in_pairs()) return add_pairs(left, width, right, RowPairs(runs.empty() ? std::vector{rows} : runs), in, dw, in);
  multiply(left, width, {right, rows, in}, nullptr, dw, in, Write::continue_chain);
}

void Weight::add_low_rank(at::Tensor a, at::Tensor b, double scale, int32_t adapter) {
  const WeightOptions options{in_pairs() ? format_ : Format::float32, false, nullptr};
  low_rank_.resize(std::max(low_rank_.size(), static_cast<size_t>(adapter) + 1));
  low_rank_[static_cast<size_t>(adapter)] = std::make_unique<LowRank>(
      LowRank{Weight(std::move(a), options), Weight(std::move(b), options), static_cast<float>(scale)});
}

Weight::LowRank* Weight::low_rank(int32_t adapter) const {
  const auto index = static_cast<size_t>(adapter);
  return index < low_rank_.size() ? low_rank_[index].get() : nullptr;
}

// Weights are owned by the model, which outlives the graph.
at::Tensor linear(const at::Tensor& x, Weight& weight, const at::Tensor& bias) {
  TORCH_CHECK(!weight.low_rank(), "LoRA updates are supported in decoder blocks only");
  const auto y = product(x, weight, bias);
  if (!graph_wanted({x, weight.value(), bias})) return y;
  connect({y}, {x, weight.value(), bias},
          [x, &weight, bias](const BackwardRequest& demand, const std::vector<at::Tensor>& dy) {
            const int64_t rows = x.size(0), in = x.size(1), width = dy[0].size(1);
            at::Tensor dx;
            if (demand.wants(0)) {
              dx = at::empty({rows, in}, at::kFloat);
              weight.multiply_back(data(dy[0]), rows, out(dx), Write::replace);
            }
            ParameterGradient dw(demand, 1, weight.value()), dbias(demand, 2, bias);
            if (dw.wanted()) weight.add_gradient(data(dy[0]), data(x), rows, {}, dw.data());
            if (dbias.wanted()) add_columns(data(dy[0]), rows, width, dbias.data());
            return std::vector{dx, dw.result(), dbias.result()};
          });
  return y;
}

at::Tensor logits(const at::Tensor& hidden, Weight& head) { return product(hidden, head, {}); }

}  // namespace compeer::kernels
