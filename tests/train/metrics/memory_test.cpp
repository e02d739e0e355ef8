#include "train/metrics/memory.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace compeer::train {
namespace {

TEST(GradientsOf, CountsUnfinishedNodesOfTheTree) {
  EXPECT_EQ(gradients_of(1, false), 1);
  EXPECT_EQ(gradients_of(2, false), 2);
  EXPECT_EQ(gradients_of(4, false), 3);  // (0 1), 2 and 3
  EXPECT_EQ(gradients_of(7, false), 3);  // (0 1 2 3), (4 5) and 6
  EXPECT_EQ(gradients_of(8, false), 4);
  EXPECT_EQ(gradients_of(1, true), 1);
  EXPECT_EQ(gradients_of(2, true), 1);  // 1 is added to 0 as it comes
  EXPECT_EQ(gradients_of(4, true), 2);  // (0 1) and 2
  EXPECT_EQ(gradients_of(8, true), 3);
  EXPECT_EQ(gradients_of(0, true), 1);  // a rank without leaves still gets the sum
}

TEST(PositionsOf, CountsWholePagesOfWhatIsInFlight) {
  rollout::Sampling sampling;
  sampling.max_new_tokens = 24;
  sampling.concurrent = 64;
  EXPECT_EQ(positions_of(4, 20, 4, sampling), 4 * 32 + 16 * 32);
  sampling.concurrent = 8;  // two groups are decoded, and one more prompt is read
  EXPECT_EQ(positions_of(4, 20, 4, sampling), 3 * 32 + 8 * 32);
}

TEST(EstimateMemory, AddsUpWhatIsWrittenOutByHand) {
  ModelShape shape;
  shape.layers = 8, shape.hidden = 512, shape.kv_heads = 2, shape.head_dim = 64, shape.vocabulary = 1024;
  const int64_t parameters = 16 << 20;  // 64 MiB
  const auto sizes = estimate_memory(shape, {parameters, false}, {3, 1024, 2048}, false, false, 200);
  EXPECT_EQ(sizes.now, 200);
  EXPECT_EQ(sizes.rearranged, 0);  // three arrays of gradients are there, or a copy of the weights
  EXPECT_EQ(sizes.gradients, 3 * 64);
  EXPECT_EQ(sizes.activations, 256 + 4);  // 1024 tokens x 8 layers x 16 rows x 512 x 4 bytes; 1024 x 1024 logits
  EXPECT_EQ(sizes.pages, 16);             // 2048 positions x 8 layers x 2 heads x 64 x 2 x 4 bytes
  EXPECT_EQ(sizes.rest, 24);
  EXPECT_EQ(sizes.more(), 192 + 260 + 16 + 24);

  const auto kept = estimate_memory(shape, {parameters, false}, {3, 1024, 2048, true}, false, false, 200);
  EXPECT_EQ(kept.rearranged, 64);
  EXPECT_EQ(kept.gradients, 4 * 64);
  EXPECT_EQ(estimate_memory(shape, {parameters, true}, {3, 1024, 2048}, false, false, 200).rearranged, 64);
  EXPECT_EQ(estimate_memory(shape, {parameters, false}, {3, 511, 2048}, false, false, 200).rearranged, 64);
  EXPECT_EQ(estimate_memory(shape, {parameters, false}, {0, 0, 2048}, false, false, 200).rearranged, 64);
}

TEST(EstimateMemory, KnowsWhatSavesSome) {
  ModelShape shape;
  shape.layers = 8, shape.hidden = 512, shape.vocabulary = 200000, shape.rounded = true;
  const auto sizes = estimate_memory(shape, {16 << 20, true}, {1, 1024, 0}, true, true, 200);
  EXPECT_EQ(sizes.rearranged, 32);         // bfloat16
  EXPECT_EQ(sizes.activations, 32 + 256);  // recomputed; tiles of logits are kept up to 256 MiB
  EXPECT_EQ(sizes.rest, 24 + 0.5 * (32 + 288));
}

// 1024 tokens in 8 layers: what libtorch keeps of an adapted layer is written out in device_memory_test.cpp.
TEST(EstimateMemory, KnowsThatLibtorchKeepsMoreAndRearrangesNothing) {
  ModelShape shape;
  shape.layers = 8, shape.hidden = 512, shape.vocabulary = 1024, shape.feed_forward = 1024, shape.exact = false;
  shape.compute = at::kBFloat16;  // no less on a CPU
  const auto sizes = estimate_memory(shape, {16 << 20, true}, {1, 1024, 0}, false, false, 200);
  EXPECT_EQ(sizes.rearranged, 0);
  // Bytes: 8 x width, 6 factors, 12 and 4 x the wide row; of the adapter 6 factors and a wide one.
  EXPECT_EQ(sizes.activations, 1024 * 8 * (32 * 512 + 16 * 1024 + 24 * 512 + 4 * 1024) / 1048576.0 + 3 * 4);
}

TEST(HostsHave, MemoryForAllRanksOnThem) {
  const uint64_t gib = uint64_t{1} << 30;
  const Placement two{"a", {{}, 0, 8 * gib, 4 * gib}}, one{"b", {{}, 0, 8 * gib, 2 * gib}};
  EXPECT_TRUE(hosts_have({two, two, one}, 2048));
  EXPECT_FALSE(hosts_have({two, two, one}, 2049));
  EXPECT_FALSE(hosts_have({two, two, two}, 2048));
  ::setenv("COMPEER_JOBS", "2", 1);
  EXPECT_TRUE(hosts_have({two, two, one}, 1024));
  EXPECT_FALSE(hosts_have({two, two, one}, 1025));
  ::unsetenv("COMPEER_JOBS");
}

TEST(MemoryText, NamesWhatIsCounted) {
  EXPECT_EQ(
      memory_text({12000, 0.5, 1.6, 260, 0, 24}),
      "memory of a rank, estimated: 12.0 GiB = 11.7 GiB so far + rearranged weights 0.5 MiB + gradients 1.6 MiB + "
      "activations 260 MiB + keys and values 0.0 MiB + buffers and room between 24 MiB");
}

TEST(EstimateMemory, OfWhatIsOnlyReadIsLittle) {
  ModelShape shape;
  shape.layers = 8, shape.hidden = 512, shape.vocabulary = 1024;
  const auto sizes = estimate_memory(shape, {16 << 20, false}, {}, false, false, 200);
  EXPECT_EQ(sizes.gradients + sizes.activations + sizes.pages, 0);
}

}  // namespace
}  // namespace compeer::train
