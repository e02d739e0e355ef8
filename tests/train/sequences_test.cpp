#include "train/sequences.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace compeer::train {
namespace {

std::vector<int64_t> list(const at::Tensor& t) {
  const auto* values = t.const_data_ptr<int64_t>();
  return {values, values + t.numel()};
}

// Prompt 5 6 7; completions "8 9" and "4": rows 0-2 the prompt, row 3 the token 8. The last token of each needs no row.
TEST(GroupBatch, HangsCompletionsOffThePrompt) {
  ScoredGroup group;
  group.prompt = {5, 6, 7};
  group.samples = {{{8, 9}, {-0.5f, -0.25f}, {}, true}, {{4}, {-1.0f}, {}, true}};
  const auto batch = group_batch(group);
  EXPECT_EQ(list(batch.batch.tokens), (std::vector<int64_t>{5, 6, 7, 8}));
  ASSERT_EQ(batch.batch.segments.size(), 2u);  // a completion of one token has none
  EXPECT_EQ(batch.batch.segments[1].start, 3);
  EXPECT_EQ(batch.batch.segments[1].length, 1);
  EXPECT_EQ(batch.batch.segments[1].position, 3);
  EXPECT_EQ(batch.batch.segments[1].parent, 0);
  EXPECT_EQ(list(batch.rows), (std::vector<int64_t>{2, 3, 2}));  // 8 and 4 are predicted by the prompt's last row
  EXPECT_EQ(list(batch.targets), (std::vector<int64_t>{8, 9, 4}));
  EXPECT_EQ(batch.lengths, (std::vector<int64_t>{2, 1}));
  EXPECT_TRUE(at::equal(batch.sampled_log_probs, at::tensor({-0.5f, -0.25f, -1.0f})));
}

}  // namespace
}  // namespace compeer::train
