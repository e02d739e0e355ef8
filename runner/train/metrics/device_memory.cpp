#include "train/metrics/device_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace compeer::train {

namespace {

constexpr double mib = 1024 * 1024;
constexpr double kTiles = 512;  // MiB: tiles of logits, and what comes of them

std::string gib(double mebibytes) { return fmt::format("{:.1f} GiB", mebibytes / 1024); }

// Bytes that libtorch keeps of a token in a layer: inputs of norms and sums in float32, factors of products once for
// each product (kernels/libtorch_products.cpp), and the feed-forward half's three wide rows.
double kept(const ModelShape& shape, bool adapted, bool recomputed) {
  const auto width = static_cast<double>(shape.hidden), wide = static_cast<double>(shape.feed_forward);
  if (recomputed) return 2 * 4 * width;
  const double factor = shape.compute == at::kBFloat16 ? 2 : 4;
  const double plain = 8 * width + 6 * factor * width + 12 * wide + factor * wide;
  return adapted ? plain + factor * (6 * width + wide) : plain;
}

}  // namespace

double device_weights(const ModelShape& shape, int64_t count) {
  return (shape.compute == at::kBFloat16 ? 2 : 4) * static_cast<double>(count) / mib;
}

DeviceMemory device_memory(const ModelShape& shape, const Learner& learner, const PeakMemory& demand, bool recomputed) {
  const double number = shape.compute == at::kBFloat16 ? 2 : 4;
  const auto tokens = static_cast<double>(demand.learned), layers = static_cast<double>(shape.layers);
  const auto vocabulary = static_cast<double>(shape.vocabulary), width = static_cast<double>(shape.hidden);
  DeviceMemory sizes;
  if (demand.gradients > 0) {
    sizes.gradients = 4 * static_cast<double>(learner.weights) / mib;
    sizes.activations = tokens * layers * kept(shape, learner.adapter, recomputed) / mib;
    // One layer at a time is computed again.
    if (recomputed) sizes.activations += tokens * kept(shape, learner.adapter, false) / mib;
    sizes.logits = kTiles + (learner.adapter ? 0 : 4 * vocabulary * width / mib);
  }
  sizes.pages =
      2 * number * static_cast<double>(demand.positions * shape.layers * shape.kv_heads * shape.head_dim) / mib;
  return sizes;
}

void check_device_memory(const DeviceMemory& sizes, double free) {
  if (sizes.more() <= free) return;
  throw Error("model.device",
              fmt::format("has {} free, and the run wants {} more: gradients {}, activations {}, logits {}, keys and "
                          "values {}",
                          gib(free), gib(sizes.more()), gib(sizes.gradients), gib(sizes.activations), gib(sizes.logits),
                          gib(sizes.pages)),
              "model.recompute_above = 0 keeps few activations; model.adapter trains little; fewer tokens in a group "
              "or less sampling.concurrent; model.compute = \"bfloat16\"",
              Exit::spec);
}

std::string device_memory_text(const DeviceMemory& sizes, double taken) {
  return fmt::format(
      "memory of the device, estimated: {} = {} so far + gradients {} + activations {} + logits {} + keys and values "
      "{}",
      gib(taken + sizes.more()), gib(taken), gib(sizes.gradients), gib(sizes.activations), gib(sizes.logits),
      gib(sizes.pages));
}

}  // namespace compeer::train
