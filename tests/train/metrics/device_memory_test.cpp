#include "train/metrics/memory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "places.h"

namespace compeer::train {
namespace {

struct Size {
  const char* name;
  int64_t parameters, adapter;  // weights, and those of a LoRA adapter of rank 16 on all projections
  ModelShape shape;
};

ModelShape shape(int64_t layers, int64_t hidden, int64_t kv_heads, int64_t head_dim, int64_t vocabulary, int64_t wide) {
  ModelShape one;
  one.layers = layers, one.hidden = hidden, one.kv_heads = kv_heads, one.head_dim = head_dim;
  one.vocabulary = vocabulary, one.feed_forward = wide, one.compute = at::kBFloat16;
  return one;
}

const std::vector<Size> known_sizes{{"0.5B", 494'032'768, 8'798'208, shape(24, 896, 2, 64, 151936, 4864)},
                                    {"1.5B", 1'543'714'304, 18'464'768, shape(28, 1536, 2, 128, 151936, 8960)},
                                    {"3B", 3'085'938'688, 29'933'568, shape(36, 2048, 2, 128, 151936, 11008)},
                                    {"7B", 7'615'616'512, 40'370'176, shape(28, 3584, 4, 128, 152064, 18944)}};

// Groups of 8 completions of 1,024 tokens behind a prompt of as many, 64 of them decoded at once.
const PeakMemory load{1, 9 * 1024, 64 * 1024 + 8 * 1024};

TEST(MemoryOfADevice, IsWhatTheGuideSays) {
  const auto guide = read_file(COMPEER_SOURCE_DIR "/docs/gpu.md");
  for (const Size& size : known_sizes) {
    const double weights = device_weights(size.shape, size.parameters) / 1024;
    const auto all = [&](const Learner& learner, bool recomputed) {
      const double own = learner.adapter ? 4.0 * static_cast<double>(learner.weights) / (1 << 30) : 0;
      return weights + own + device_memory(size.shape, learner, load, recomputed).more() / 1024;
    };
    const Learner whole{size.parameters, false}, adapter{size.adapter, true};
    const auto row = fmt::format("| {} | {:.1f} | {:.0f} | {:.0f} | {:.0f} | {:.0f} |", size.name, weights,
                                 all(whole, false), all(whole, true), all(adapter, false), all(adapter, true));
    EXPECT_NE(guide.find(row), std::string::npos) << row;
  }
}

// By hand: 2 layers of width 8 and 32, in bfloat16, 10 tokens.
TEST(MemoryOfADevice, IsAddedUpByHand) {
  const auto small = shape(2, 8, 1, 4, 100, 32);
  const auto mib = 1024.0 * 1024;
  const auto whole = device_memory(small, {5000, false}, {1, 10, 64}, false);
  EXPECT_DOUBLE_EQ(device_weights(small, 5000) * mib, 2 * 5000);
  EXPECT_DOUBLE_EQ(whole.gradients * mib, 4 * 5000);
  // A token in a layer: 8 bytes of x twice, six rounded factors, three wide rows and a rounded one.
  EXPECT_DOUBLE_EQ(whole.activations * mib, 10 * 2 * (8 * 8 + 6 * 2 * 8 + 12 * 32 + 2 * 32));
  EXPECT_DOUBLE_EQ((whole.logits - 512) * mib, 4 * 100 * 8);
  EXPECT_DOUBLE_EQ(whole.pages * mib, 2 * 2 * 64 * 2 * 4);
  const auto adapted = device_memory(small, {300, true}, {1, 10, 64}, true);
  EXPECT_DOUBLE_EQ(adapted.gradients * mib, 4 * 300);
  EXPECT_DOUBLE_EQ(adapted.logits, 512);
  EXPECT_LT(adapted.activations, whole.activations);
}

TEST(MemoryOfADevice, IsRefusedWithARemedyIfItIsTooLittle) {
  DeviceMemory sizes;
  sizes.gradients = 28 * 1024, sizes.activations = 10 * 1024, sizes.logits = 2048, sizes.pages = 512;
  EXPECT_NO_THROW(check_device_memory(sizes, 41 * 1024));
  try {
    check_device_memory(sizes, 30 * 1024);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::spec);
    EXPECT_EQ(std::string(error.what()),
              "model.device: has 30.0 GiB free, and the run wants 40.5 GiB more: gradients 28.0 GiB, activations 10.0 "
              "GiB, logits 2.0 GiB, keys and values 0.5 GiB\n"
              "  help: model.recompute_above = 0 keeps few activations; model.adapter trains little; fewer tokens in a "
              "group or less sampling.concurrent; model.compute = \"bfloat16\"");
  }
}

}  // namespace
}  // namespace compeer::train
