#include "train/update/gradients.h"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/device_error.h"
#include "base/error.h"
#include "comm/rank_tree.h"

namespace compeer::train {

namespace {

using comm::DeviceMessages;
using comm::Share;

constexpr int64_t kPiece = int64_t{1} << 22;  // numbers of a slice that travel at once: 16 MiB from each other rank

// The next numbers of a slice.
Share piece(Share slice, int64_t done) {
  return {slice.first + std::min(done, slice.count), std::clamp(slice.count - done, int64_t{0}, kPiece)};
}

// The sum of the nodes, in one of them; undefined without any.
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

void add_up_there(comm::World& world, DeviceMessages& devices, int64_t leaves, const at::Tensor& own, bool whole) {
  const int me = world.rank();
  const auto nodes = comm::rank_nodes(leaves, world.size());
  const auto slice = [&](int rank) { return comm::slice(own.numel(), comm::slice_block, world.size(), rank); };
  using Parts = std::vector<DeviceMessages::Part>;
  auto* const numbers = static_cast<float*>(own.data_ptr());
  const auto to_others = [&](auto elements_for) {
    Parts parts;
    for (int rank = 0; rank < world.size(); ++rank) {
      const Share elements = elements_for(rank);
      if (rank != me) parts.push_back({numbers + elements.first, elements.count, rank});
    }
    return parts;
  };
  for (int64_t done = 0; done < slice(0).count; done += kPiece) {  // the longest of all
    const Share mine = piece(slice(me), done);
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

Gradients::Gradients(comm::World& world, Parameters& parameters, int64_t leaves, Way way)
    : world_(world),
      parameters_(parameters),
      leaves_(leaves),
      slice_(way.delivery.slice),
      at_once_(way.at_once && !way.on_devices),
      hosts_(world, leaves, parameters.size(), train::add, way.delivery, parameters.there().defined()) {
  if (!way.on_devices || !parameters.there().defined() || world.size() == 1) return;
  if (leaves > world.size())
    throw Error("sums",
                fmt::format("'device' requires at most one leaf per rank, but there are {} leaves for {} ranks", leaves,
                            world.size()),
                "raise sft.together or grpo.together, or set sums = \"host\"", Exit::spec);
  devices_ = std::make_unique<DeviceMessages>(world);
  parameters.keep_there();
  try_devices();
}

Gradients::~Gradients() = default;

// Whether messages arrive, and whole: 1, 2, 3, ... from the ranks, whose sum is exact.
void Gradients::try_devices() {
  const auto& there = parameters_.there();
  const auto sum = at::full({world_.size() * comm::slice_block}, world_.rank() + 1.0, there.options());
  add_up_there(world_, *devices_, world_.size(), sum, true);
  world_.together("try NCCL", [&] {
    const double expected = world_.size() * (world_.size() + 1.0) / 2;
    if (sum.eq(expected).all().item().toBool()) return;
    throw Error("sums", "is 'device', but devices add up wrongly by NCCL", "set sums = \"host\"", Exit::usage);
  });
}

Parameters::Ready Gradients::ready() {
  if (!at_once_) return nullptr;
  return [this](Share elements) { hosts_.ready(elements); };
}

void Gradients::add(int64_t leaf, std::span<const float> gradient) {
  if (!devices_) return hosts_.add(leaf, gradient);
  if (added_ || leaf != mine().first)
    throw std::logic_error(fmt::format("Gradients: leaf {} added, expected {} once", leaf, mine().first));
  added_ = true;
}

std::span<float> Gradients::finish() {
  if (!devices_) return hosts_.finish();
  const Share all{0, parameters_.size()};
  const auto wanted = slice_ ? comm::slice(all.count, comm::slice_block, world_.size(), world_.rank()) : all;
  const auto into = comm::part(room(), wanted);
  world_.together("sum", [&] {
    if (!std::exchange(added_, false) && mine().count > 0)
      throw std::logic_error(fmt::format("Gradients: finished before leaf {} was added", mine().first));
  });
  world_.together("reduce", [&] {
    with_remedy("sums", [&] {
      add_up_there(world_, *devices_, leaves_, parameters_.there(), !slice_);
      parameters_.bring(into, wanted);
    });
  });
  return into;
}

}  // namespace compeer::train
