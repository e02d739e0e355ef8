#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>

#include "made_settings.h"
#include "train/update/learning.h"

namespace compeer::train {
namespace {

// Two groups of two completions. The second reward is the first with another sign and ten times as large.
class AdvantagesOfTwoGroups : public testing::Test {
 protected:
  AdvantagesOfTwoGroups() {
    const auto rewards = at::tensor({1.0, 3.0, 2.0, 2.0}, at::kDouble).view({2, 2});
    mine.set("learned", rewards);
    mine.set("shaped/one", rewards.clone());
    mine.set("shaped/ten", rewards * -10);
  }
  // The advantages of each completion, by group.
  std::vector<std::vector<double>> advantages(const GrpoSettings& settings) {
    BatchColumns found(2, 2);
    found.set("advantage", advantages_over_ranks(world, mine, settings, {"shaped/one", "shaped/ten"}));
    return {std::as_const(found).row("advantage", 0), std::as_const(found).row("advantage", 1)};
  }
  comm::World world;
  BatchColumns mine{2, 2};
};

// 1 and 3: mean 2, deviation sqrt(2).
TEST_F(AdvantagesOfTwoGroups, AreThoseOfEquation3) {
  auto s = made_settings();
  s.rule.epsilon = 0;
  const auto a = advantages(s);
  EXPECT_NEAR(a[0][0], -1 / std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(a[0][1], 1 / std::sqrt(2.0), 1e-12);
  EXPECT_EQ(a[1], (std::vector<double>{0, 0}));
}

// 1 3 2 2: squares 1 + 1 over 3.
TEST_F(AdvantagesOfTwoGroups, CanBeDividedByTheDeviationOfTheBatch) {
  auto s = made_settings();
  s.rule.divisor = grpo::Divisor::batch;
  s.rule.epsilon = 0;
  const auto a = advantages(s);
  EXPECT_NEAR(a[0][1], 1 / std::sqrt(2.0 / 3.0), 1e-12);
  EXPECT_EQ(a[1], (std::vector<double>{0, 0}));
}

// With its weight of a tenth the second reward cancels the first in the sum, but each by itself teaches something.
TEST_F(AdvantagesOfTwoGroups, CanNormaliseEachRewardByItself) {
  auto s = made_settings();
  s.gdpo = true;
  EXPECT_GT(std::abs(advantages(s)[0][0]), 0.5);
  s.rule.most = 0.25;
  EXPECT_EQ(advantages(s)[0][1], 0.25);
}

TEST_F(AdvantagesOfTwoGroups, AreZeroWithoutAReward) {
  mine.row("learned", 0)[0] = std::nan("");
  EXPECT_EQ(advantages(made_settings())[0], (std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace compeer::train
