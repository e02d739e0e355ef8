#include "train/update/learning.h"

#include <gtest/gtest.h>

#include "learning_groups.h"
#include "made_settings.h"

namespace compeer::train {
namespace {

class TotalsOfTwoGroups : public testing::Test {
 protected:
  StepTotals totals(const GrpoSettings& s) {
    std::vector<LearningGroup> mine;
    for (const auto& group : groups) mine.emplace_back(group, s.mask_truncated);
    return totals_over_ranks(world, mine, s);
  }
  comm::World world;
  Groups groups{group_of_two(0), group_of_two(1)};
};

TEST_F(TotalsOfTwoGroups, CountTheTokensOfAllGroups) {
  auto s = made_settings();
  EXPECT_EQ(totals(s).step.size.tokens, 10);
  EXPECT_EQ(totals(s).step.size.completions, 4);
  EXPECT_EQ(totals(s).step.size.max_new_tokens, static_cast<double>(s.sampling.max_new_tokens));
  EXPECT_EQ(totals(s).step.bonus_tokens, 10);
  EXPECT_EQ(totals(s).completions, 4);
}

TEST_F(TotalsOfTwoGroups, LeaveOutTokensOfCompletionsThatWereCutOff) {
  auto s = made_settings();
  s.mask_truncated = true;
  EXPECT_EQ(totals(s).step.size.tokens, 6);
  EXPECT_EQ(totals(s).step.size.completions, 4);
  EXPECT_EQ(totals(s).completions, 2);
}

// Twice .1 .2 .4 .6 .8: of ten tokens four have an entropy of .6 or more.
TEST_F(TotalsOfTwoGroups, FindTheEntropyThresholdOverTheStep) {
  auto s = made_settings();
  s.objective.only_high_entropy = true;
  s.high_entropy_share = 0.4;
  const auto step = totals(s).step;
  EXPECT_EQ(step.bonus_tokens, 4);
  EXPECT_GT(step.entropy_threshold, 0.4);
  EXPECT_LE(step.entropy_threshold, static_cast<double>(0.6f));
}

TEST(FromAllRanks, IsOnesOwnNumbersInAWorldOfOne) {
  comm::World world;
  EXPECT_EQ(from_all_ranks(world, {3, 1, 2}), (std::vector<double>{3, 1, 2}));
  EXPECT_TRUE(from_all_ranks(world, {}).empty());
}

}  // namespace
}  // namespace compeer::train
