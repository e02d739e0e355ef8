#include "train/metrics/work.h"

#include <gtest/gtest.h>

namespace compeer::train {
namespace {

// A thousand weights that are multiplied, in two layers of width ten.
inference::ModelSize small() {
  inference::ModelSize size;
  size.shape.layers = 2, size.shape.hidden = 10, size.shape.kv_heads = 1, size.shape.head_dim = 5;
  size.blocks = 900, size.embedding = 100;
  return size;
}

TEST(OperationsOf, AreTwoForEachWeightAndToken) {
  // A token looks at half of 6: 4 x 2 x 10 x 3.
  EXPECT_EQ(operations_of(small(), 7, 6), 7 * 6 * (2 * 1000 + 240));
}

TEST(OperationsOf, LearningAreSixOrEight) {
  const double once = operations_of(small(), 7, 6);
  EXPECT_EQ(operations_of(small(), 7, 6, {}), 3 * once);
  EXPECT_EQ(operations_of(small(), 7, 6, {.recomputed = true}), 4 * once);
  EXPECT_EQ(operations_of(small(), 7, 6, {.adapter = true}), 2 * once);
  EXPECT_EQ(operations_of(small(), 7, 6, {.adapter = true, .recomputed = true}), 3 * once);
}

TEST(WorkOf, GeneratingReadsThePromptOnceAndTheWeightsForEachToken) {
  // Three groups of four, 20 tokens and 8 new ones, five texts at once, weights of two bytes.
  const auto work = work_of(small(), 12, 4, 20, 8, 5, 2);
  EXPECT_EQ(work.operations, operations_of(small(), 3, 20) + 12 * 8 * (2 * 1000 + 4 * 2 * 10 * 24));
  // 8 tokens in three passes each; keys and values of 24 positions on average, 2 x 2 x 2 layers x 5 bytes
  EXPECT_EQ(work.streamed, 8 * (3 * 2 * 1000 + 12 * 40 * 24));
}

}  // namespace
}  // namespace compeer::train
