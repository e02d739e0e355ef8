// AdamW with its schedule, and the distribution of its state over ranks and checkpoint files.
#include "train/update/optimizer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "base/error.h"
#include "kernels/adamw.h"
#include "kernels/arrays.h"
#include "record/safetensors.h"

namespace compeer::train {

namespace {

namespace fs = std::filesystem;

fs::path file_of(const fs::path& folder, const std::string& stem, int64_t i) {
  return folder / (i == 0 ? stem + ".safetensors" : stem + "-" + std::to_string(i) + ".safetensors");
}

comm::ElementRange common(comm::ElementRange a, comm::ElementRange b) {
  const int64_t first = std::max(a.first, b.first), end = std::min(a.first + a.count, b.first + b.count);
  return {first, std::max(end - first, int64_t{0})};
}

template <class T>
std::span<T> part(std::span<T> of, comm::ElementRange whole, comm::ElementRange wanted) {
  return of.subspan(static_cast<size_t>(wanted.first - whole.first), static_cast<size_t>(wanted.count));
}

}  // namespace

Optimizer::Optimizer(const spec::OptimizerTable& settings, double lr, uint64_t steps, int64_t parameters)
    : settings_(settings),
      lr_(lr),
      steps_(steps),
      m_(static_cast<size_t>(parameters)),
      v_(static_cast<size_t>(parameters)) {}

double Optimizer::rate(uint64_t t) const {
  const auto warmup = static_cast<uint64_t>(settings_.warmup);
  if (t <= warmup) return lr_ * static_cast<double>(t) / static_cast<double>(warmup);
  if (settings_.schedule == "constant" || steps_ <= warmup) return lr_;
  const double done = static_cast<double>(std::min(t, steps_) - warmup - 1) / static_cast<double>(steps_ - warmup);
  return settings_.schedule == "cosine" ? lr_ * 0.5 * (1.0 + std::cos(std::numbers::pi * done)) : lr_ * (1.0 - done);
}

double norm_of(std::span<const float> gradient) {
  return std::sqrt(kernels::square_sum(gradient.data(), static_cast<int64_t>(gradient.size())));
}

Optimizer::Update Optimizer::step(std::span<const float> gradient, double norm, std::span<float> weights) {
  const double limit = settings_.max_grad_norm, scale = limit > 0 && norm > limit ? limit / (norm + 1e-6) : 1.0;
  const kernels::AdamW adamw{rate(++done_), settings_.beta1, settings_.beta2, settings_.epsilon,
                             settings_.weight_decay};
  kernels::adamw_step(adamw, static_cast<int64_t>(done_), gradient.data(), static_cast<float>(scale),
                      static_cast<int64_t>(gradient.size()), weights.data(), m_.data(), v_.data());
  return {norm, adamw.lr};
}

ShardLayout::ShardLayout(comm::World& world, int64_t length, bool sharded)
    : world_(world), length_(length), sharded_(sharded && world.size() > 1) {}

comm::ElementRange ShardLayout::kept_by(int rank) const {
  return sharded_ ? comm::slice(length_, block, world_.size(), rank) : comm::ElementRange{0, length_};
}

void ShardLayout::all_gather(std::span<float> whole) const {
  if (sharded_) comm::all_gather(world_, whole, block);
}

// Collects a piece of an array on rank 0 from the ranks that own its elements.
void ShardLayout::gather(const Array& array, comm::ElementRange piece, std::span<float> to) const {
  for (int rank = 0; rank < (sharded_ ? world_.size() : 1); ++rank) {
    const auto theirs = common(kept_by(rank), piece);
    if (theirs.count == 0) continue;
    if (world_.rank() == 0 && rank > 0) {
      world_.receive(std::as_writable_bytes(part(to, piece, theirs)), rank);
    } else if (world_.rank() == rank) {
      const auto mine = part(array.own, own(), theirs);
      rank == 0 ? void(std::ranges::copy(mine, part(to, piece, theirs).begin())) : world_.send(std::as_bytes(mine), 0);
    }
  }
}

void ShardLayout::save(const fs::path& folder, const std::string& stem, const std::vector<Array>& arrays,
                       const std::map<std::string, std::string>& metadata, int64_t piece) const {
  for (int64_t first = 0, i = 0; first < length_; first += piece, ++i) {
    const comm::ElementRange now{first, std::min(piece, length_ - first)};
    std::vector<std::vector<float>> rooms(arrays.size());
    std::vector<record::TensorView> views;
    for (size_t a = 0; a < arrays.size(); ++a) {
      rooms[a].resize(world_.rank() == 0 ? static_cast<size_t>(now.count) : 0);
      gather(arrays[a], now, rooms[a]);
      views.push_back({arrays[a].name, "F32", {now.count}, std::as_bytes(std::span(rooms[a]))});
    }
    world_.run_on_all_ranks("checkpoint", [&] {
      if (world_.rank() == 0) record::write_safetensors(file_of(folder, stem, i), views, metadata);
    });
  }
}

std::map<std::string, std::string> ShardLayout::load(const fs::path& folder, const std::string& stem,
                                                     const std::vector<Array>& arrays) const {
  std::map<std::string, std::string> metadata;
  int64_t first = 0;
  for (int64_t i = 0; first < length_ && fs::exists(file_of(folder, stem, i)); ++i) {
    const auto file = record::Safetensors::open(file_of(folder, stem, i));
    metadata = file.metadata();
    comm::ElementRange now{first, 0};
    for (const Array& array : arrays) {
      const auto& view = file.tensor(array.name);
      now.count = static_cast<int64_t>(view.bytes.size() / sizeof(float));
      const auto wanted = common(own(), now);
      if (wanted.count == 0) continue;
      const auto from = view.bytes.subspan(static_cast<size_t>(wanted.first - first) * sizeof(float));
      std::memcpy(part(array.own, own(), wanted).data(), from.data(),
                  static_cast<size_t>(wanted.count) * sizeof(float));
    }
    first += now.count;
  }
  if (first == length_) return metadata;
  throw Error((folder / stem).string() + "*.safetensors",
              "contains " + std::to_string(first) + " values for a model of " + std::to_string(length_) + " parameters",
              "", Exit::data);
}

}  // namespace compeer::train
