#include "train/update/parameters.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/zeros.h>

#include <cmath>

#include "base/device_error.h"
#include "base/error.h"
#include "kernels/arrays.h"
#include "train/update/optimizer.h"

namespace compeer::train {

namespace {

// One tensor for each of these, of its shape, side by side.
std::vector<at::Tensor> views(const at::Tensor& flat, const std::vector<at::Tensor>& like) {
  std::vector<at::Tensor> all;
  int64_t start = 0;
  for (const at::Tensor& t : like) {
    all.push_back(flat.slice(0, start, start + t.numel()).view(t.sizes()));
    start += t.numel();
  }
  return all;
}

}  // namespace

Parameters::Parameters(Model& model) {
  int64_t total = 0;
  for (const Parameter& p : model.parameters()) {
    if (!p.value.requires_grad())
      throw Error("model", "has no weights that train", "leave model.frozen out, or train an adapter (model.adapter)",
                  Exit::spec);
    names_.push_back(p.name);
    values_.push_back(p.value);
    hosts_.push_back(p.host.defined() ? p.host : p.value);
    places_.push_back({total, p.value.numel()});
    total += p.value.numel();
  }
  weights_ = at::zeros({total}, at::kFloat);
  const auto own = views(weights_, values_);
  for (size_t i = 0; i < values_.size(); ++i) {
    own[i].copy_(hosts_[i].detach());
    hosts_[i].set_data(own[i]);
  }
  if (!values_.empty() && !values_.front().is_cpu()) {
    there_ = at::empty({total}, at::TensorOptions(values_.front().device()).dtype(at::kFloat));
    pin(weights());
    return;
  }
  for (size_t i = 0; i < values_.size(); ++i) {
    watches_.emplace_back(values_[i], [this, i] { passed(i); });
  }
}

void Parameters::weights_changed() {
  if (!there_.defined()) return;
  there_.copy_(weights_);  // at once; they are rounded there
  const auto own = views(there_, values_);
  for (size_t i = 0; i < values_.size(); ++i) values_[i].detach().copy_(own[i]);
}

void Parameters::pin(std::span<float> memory) {
  pinned_.try_emplace(memory.data(), memory.data(), memory.size_bytes());
}

std::span<float> Parameters::weights() {
  return {static_cast<float*>(weights_.data_ptr()), static_cast<size_t>(size())};
}

void Parameters::differentiate(const at::Tensor& loss, std::span<float> gradient, Part part, const Ready& ready) {
  collect(gradient, part, [&] {
    last_pass(ready);
    loss.backward();
  });
}

void Parameters::collect(std::span<float> gradient, Part part, const std::function<void()>& backward) {
  TORCH_CHECK(static_cast<int64_t>(gradient.size()) == size(), "room for ", gradient.size(), " gradients of ", size());
  if (there_.defined()) return collect_there(gradient, part, backward);
  auto& own = views_[gradient.data()];
  if (own.empty()) own = views(at::from_blob(gradient.data(), {size()}, at::kFloat), values_);
  for (size_t i = 0; i < values_.size(); ++i) values_[i].mutable_grad() = own[i];
  if (!part.on && !part.zeros) kernels::clear(gradient.data(), size());
  gradient_ = gradient;
  finite_ = true;
  last_pass(nullptr);
  backward();
  ready_ = nullptr;
  for (size_t i = 0; i < values_.size() && !part.more; ++i) {
    if (!passed_[i]) look_at(places_[i]);
  }
}

// Nothing is ready before all of it has come back.
void Parameters::collect_there(std::span<float> gradient, Part part, const std::function<void()>& backward) {
  if (!part.on) there_.zero_();
  const auto own = views(there_, values_);
  for (size_t i = 0; i < values_.size(); ++i) values_[i].mutable_grad() = own[i];
  with_remedy("the way back", [&] {
    backward();
    if (!part.more && !stay_) bring(gradient, {0, size()});
    if (!part.more) finite_ = stay_ ? at::isfinite(there_).all().item().toBool() : std::isfinite(norm_of(gradient));
  });
}

void Parameters::bring(std::span<float> into, comm::Share elements) {
  pin(into);
  at::from_blob(into.data(), {elements.count}, at::kFloat)
      .copy_(there_.slice(0, elements.first, elements.first + elements.count));
}

void Parameters::look_at(comm::Share elements) {
  finite_ = finite_ && std::isfinite(norm_of(part(gradient_, elements)));
}

void Parameters::last_pass(const Ready& ready) {
  ready_ = ready;
  passed_.assign(values_.size(), false);
}

void Parameters::passed(size_t parameter) {
  if (!ready_) return;
  if (passed_[parameter])
    throw Error(names_[parameter], "its gradient comes in several passes, and the first was taken for all of it",
                "set overlap = \"never\"", Exit::plugin);
  passed_[parameter] = true;
  look_at(places_[parameter]);  // before it becomes a part of the sum
  ready_(places_[parameter]);
}

void add(std::span<float> sum, std::span<const float> more) {
  kernels::add(sum.data(), more.data(), static_cast<int64_t>(sum.size()));
}

}  // namespace compeer::train
