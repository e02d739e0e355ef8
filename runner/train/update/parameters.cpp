// Flat arrays of weights and gradients, collected from autograd, and the reduction of gradients over ranks.
#include "train/update/parameters.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/device_error.h"
#include "base/error.h"
#include "comm/rank_tree.h"
#include "kernels/arrays.h"
#include "train/update/optimizer.h"

namespace compeer::train {

namespace {

// Views of consecutive ranges of `flat`, with the shapes of `like`.
std::vector<at::Tensor> views(const at::Tensor& flat, const std::vector<at::Tensor>& like) {
  std::vector<at::Tensor> all;
  int64_t start = 0;
  for (const at::Tensor& t : like) {
    all.push_back(flat.slice(0, start, start + t.numel()).view(t.sizes()));
    start += t.numel();
  }
  return all;
}

using comm::DeviceMessages;
using comm::ElementRange;

constexpr int64_t piece_length = int64_t{1} << 22;  // elements of a slice per message: 16 MiB from each other rank

// The next piece of a slice, after its first `done` elements; empty at its end.
ElementRange piece(ElementRange slice, int64_t done) {
  return {slice.first + std::min(done, slice.count), std::clamp(slice.count - done, int64_t{0}, piece_length)};
}

// Sums the nodes in the order of the tree, in place, and returns the tensor with the result; undefined without nodes.
at::Tensor add_up(const std::vector<comm::RankNode>& nodes, const std::vector<at::Tensor>& numbers) {
  std::vector<at::Tensor> sums;
  for (size_t i = 0; i < nodes.size(); ++i) {
    sums.push_back(numbers[i]);
    for (int n = 0; n < nodes[i].additions; ++n) {
      const auto right = sums.back();
      sums.pop_back();
      sums.back().add_(right);
    }
  }
  return sums.empty() ? at::Tensor() : sums.front();
}

}  // namespace

Parameters::Parameters(Model& model) {
  int64_t total = 0;
  for (const Parameter& p : model.parameters()) {
    if (!p.value.requires_grad())
      throw Error("model", "has no trainable weights", "remove model.frozen, or train an adapter (model.adapter)",
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
    device_gradients_ = at::empty({total}, at::TensorOptions(values_.front().device()).dtype(at::kFloat));
    pin(weights());
    return;
  }
  for (size_t i = 0; i < values_.size(); ++i) {
    watches_.emplace_back(values_[i], [this, i] { passed(i); });
  }
}

void Parameters::weights_changed() {
  if (!device_gradients_.defined()) return;
  device_gradients_.copy_(weights_);  // one copy; the device then converts them to its type
  const auto own = views(device_gradients_, values_);
  for (size_t i = 0; i < values_.size(); ++i) values_[i].detach().copy_(own[i]);
}

void Parameters::pin(std::span<float> memory) {
  pinned_.try_emplace(memory.data(), memory.data(), memory.size_bytes());
}

std::span<float> Parameters::weights() {
  return {static_cast<float*>(weights_.data_ptr()), static_cast<size_t>(size())};
}

void Parameters::differentiate(const at::Tensor& loss, std::span<float> gradient, AccumulateOptions part,
                               const OnReady& ready) {
  collect(gradient, part, [&] {
    begin_last_pass(ready);
    loss.backward();
  });
}

void Parameters::collect(std::span<float> gradient, AccumulateOptions part, const std::function<void()>& backward) {
  TORCH_CHECK(static_cast<int64_t>(gradient.size()) == size(), "room for ", gradient.size(), " gradients of ", size());
  if (device_gradients_.defined()) return collect_on_device(gradient, part, backward);
  auto& own = views_[gradient.data()];
  if (own.empty()) own = views(at::from_blob(gradient.data(), {size()}, at::kFloat), values_);
  for (size_t i = 0; i < values_.size(); ++i) values_[i].mutable_grad() = own[i];
  if (!part.add && !part.is_zero) kernels::clear(gradient.data(), size());
  gradient_ = gradient;
  finite_ = true;
  begin_last_pass(nullptr);
  backward();
  ready_ = nullptr;
  for (size_t i = 0; i < values_.size() && !part.partial; ++i) {
    if (!passed_[i]) look_at(places_[i]);
  }
}

// For a model on a device. No element is final before all have been copied to the host, so `ready` is not called.
void Parameters::collect_on_device(std::span<float> gradient, AccumulateOptions part,
                                   const std::function<void()>& backward) {
  if (!part.add) device_gradients_.zero_();
  const auto own = views(device_gradients_, values_);
  for (size_t i = 0; i < values_.size(); ++i) values_[i].mutable_grad() = own[i];
  with_remedy("backward pass", [&] {
    backward();
    if (!part.partial && !keep_on_device_) copy_to_host(gradient, {0, size()});
    if (!part.partial)
      finite_ =
          keep_on_device_ ? at::isfinite(device_gradients_).all().item().toBool() : std::isfinite(norm_of(gradient));
  });
}

void Parameters::copy_to_host(std::span<float> into, comm::ElementRange elements) {
  pin(into);
  at::from_blob(into.data(), {elements.count}, at::kFloat)
      .copy_(device_gradients_.slice(0, elements.first, elements.first + elements.count));
}

void Parameters::look_at(comm::ElementRange elements) {
  finite_ = finite_ && std::isfinite(norm_of(part(gradient_, elements)));
}

void Parameters::begin_last_pass(const OnReady& ready) {
  ready_ = ready;
  passed_.assign(values_.size(), false);
}

void Parameters::passed(size_t parameter) {
  if (!ready_) return;
  if (passed_[parameter])
    throw Error(names_[parameter], "receives its gradient in several passes, but 'overlap' requires a single one",
                "set overlap = \"never\"", Exit::plugin);
  passed_[parameter] = true;
  look_at(places_[parameter]);  // before `ready_` adds it to the sum
  ready_(places_[parameter]);
}

void add(std::span<float> sum, std::span<const float> more) {
  kernels::add(sum.data(), more.data(), static_cast<int64_t>(sum.size()));
}

void sum_on_devices(comm::World& world, DeviceMessages& devices, int64_t leaves, const at::Tensor& own, bool whole) {
  const int me = world.rank();
  const auto nodes = comm::rank_nodes(leaves, world.size());
  const auto slice = [&](int rank) { return comm::slice(own.numel(), comm::slice_block, world.size(), rank); };
  using Parts = std::vector<DeviceMessages::Part>;
  auto* const numbers = static_cast<float*>(own.data_ptr());
  const auto to_others = [&](auto elements_for) {
    Parts parts;
    for (int rank = 0; rank < world.size(); ++rank) {
      const ElementRange elements = elements_for(rank);
      if (rank != me) parts.push_back({numbers + elements.first, elements.count, rank});
    }
    return parts;
  };
  for (int64_t done = 0; done < slice(0).count; done += piece_length) {  // rank 0's slice is the longest
    const ElementRange mine = piece(slice(me), done);
    const auto home = mine.count > 0 ? own.slice(0, mine.first, mine.first + mine.count) : at::Tensor();
    std::vector<at::Tensor> of_nodes;
    Parts received;
    for (size_t i = 0; home.defined() && i < nodes.size(); ++i) {
      of_nodes.push_back(nodes[i].owner == me ? home : at::empty_like(home));
      if (nodes[i].owner != me)
        received.push_back({static_cast<float*>(of_nodes.back().data_ptr()), mine.count, nodes[i].owner});
    }
    devices.exchange(me < leaves ? to_others([&](int rank) { return piece(slice(rank), done); }) : Parts(), received);
    if (!home.defined()) continue;
    const auto sum = add_up(nodes, of_nodes);
    if (!sum.defined()) home.zero_();
    if (sum.defined() && !sum.is_same(home)) home.copy_(sum);
  }
  if (whole) devices.exchange(to_others([&](int) { return slice(me); }), to_others(slice));
}

Gradients::Gradients(comm::World& world, Parameters& parameters, int64_t leaves, ReductionOptions way)
    : world_(world),
      parameters_(parameters),
      leaves_(leaves),
      slice_(way.delivery.slice),
      overlap_(way.overlap && !way.on_devices),
      hosts_(world, leaves, parameters.size(), train::add, way.delivery, parameters.device_gradients().defined()) {
  if (!way.on_devices || !parameters.device_gradients().defined() || world.size() == 1) return;
  if (leaves > world.size())
    throw Error("sums",
                fmt::format("'device' requires at most one leaf per rank, but there are {} leaves for {} ranks", leaves,
                            world.size()),
                "raise sft.micro_batch or grpo.groups_per_reduction, or set sums = \"host\"", Exit::spec);
  devices_ = std::make_unique<DeviceMessages>(world);
  parameters.keep_on_device();
  try_devices();
}

Gradients::~Gradients() = default;

// Tests that messages arrive completely: rank r contributes r + 1, so that the sum is known and exact.
void Gradients::try_devices() {
  const auto& there = parameters_.device_gradients();
  const auto sum = at::full({world_.size() * comm::slice_block}, world_.rank() + 1.0, there.options());
  sum_on_devices(world_, *devices_, world_.size(), sum, true);
  world_.run_on_all_ranks("test NCCL", [&] {
    const double expected = world_.size() * (world_.size() + 1.0) / 2;
    if (sum.eq(expected).all().item().toBool()) return;
    throw Error("sums", "is 'device', but a test sum over NCCL is wrong", "set sums = \"host\"", Exit::usage);
  });
}

Parameters::OnReady Gradients::early_adder() {
  if (!overlap_) return nullptr;
  return [this](ElementRange elements) { hosts_.mark_final(elements); };
}

void Gradients::add(int64_t leaf, std::span<const float> gradient) {
  if (!devices_) return hosts_.add(leaf, gradient);
  if (added_ || leaf != mine().first)
    throw std::logic_error(fmt::format("Gradients: leaf {} added, expected {} once", leaf, mine().first));
  added_ = true;
}

std::span<float> Gradients::finish() {
  if (!devices_) return hosts_.finish();
  const ElementRange all{0, parameters_.size()};
  const auto wanted = slice_ ? comm::slice(all.count, comm::slice_block, world_.size(), world_.rank()) : all;
  const auto into = comm::part(next_leaf_buffer(), wanted);
  world_.run_on_all_ranks("sum", [&] {
    if (!std::exchange(added_, false) && mine().count > 0)
      throw std::logic_error(fmt::format("Gradients: finished before leaf {} was added", mine().first));
  });
  world_.run_on_all_ranks("reduce", [&] {
    with_remedy("sums", [&] {
      sum_on_devices(world_, *devices_, leaves_, parameters_.device_gradients(), !slice_);
      parameters_.copy_to_host(into, wanted);
    });
  });
  return into;
}

}  // namespace compeer::train
