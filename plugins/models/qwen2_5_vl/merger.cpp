#include "merger.h"

#include <ATen/ops/gelu.h>

#include "decoder/on_device.h"
#include "kernels/gelu.h"

namespace compeer::qwen2_5_vl {

std::vector<decoder::Entry> merger_entries(const Vision& v) {
  const int64_t merged = v.hidden_size * v.unit();
  return {{"visual.merger.ln_q.weight", {v.hidden_size}},
          {"visual.merger.mlp.0.weight", {merged, merged}},
          {"visual.merger.mlp.0.bias", {merged}},
          {"visual.merger.mlp.2.weight", {v.out_hidden_size, merged}},
          {"visual.merger.mlp.2.bias", {v.out_hidden_size}}};
}

Merger::Merger(const Vision& vision, std::vector<Parameter> weights, decoder::Use use)
    : vision_(vision), use_(std::move(use)) {
  use_.keeping.round(weights);
  weights_ = decoder::on_device(std::move(weights), use_.device, use_.pairs);
}

at::Tensor Merger::features(const at::Tensor& units) {
  const auto value = [&](size_t entry) { return weights_[entry].value; };
  if (linear_.empty()) {
    for (const size_t entry : {1, 3}) linear_.emplace_back(value(entry), use_.options(value(entry)));
  }
  const kernels::Arithmetic& a = use_.arithmetic;
  const auto normed =
      a.rms_norm(units.to(use_.device).view({-1, vision_.hidden_size}), value(0), kEpsilon).view(units.sizes());
  const auto inner = a.linear(normed, linear_[0], value(2));
  return a.linear(inner.is_cpu() ? kernels::gelu(inner) : at::gelu(inner), linear_[1], value(4));
}

void Merger::parameters_changed() {
  for (kernels::Weight& weight : linear_) weight.changed();
}

}  // namespace compeer::qwen2_5_vl
