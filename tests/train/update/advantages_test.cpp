#include "train/update/advantages.h"

#include <gtest/gtest.h>

#include <cmath>

#include "made_settings.h"

namespace compeer::train {
namespace {

// Two groups of two completions. The second reward is the first with another sign and ten times as large.
class AdvantagesOfTwoGroups : public testing::Test {
 protected:
  AdvantagesOfTwoGroups() {
    mine.rewards = {{1, 3}, {2, 2}};
    mine.groups.resize(2);
    for (const auto& rewards : mine.rewards) {
      ScoreTable& scores = mine.scores.emplace_back(2);
      scores.add("shaped/one", rewards);
      scores.add("shaped/ten", {-10 * rewards[0], -10 * rewards[1]});
    }
  }
  Advantages advantages(const GrpoSettings& settings) {
    return advantages_over_ranks(world, mine, settings, {"shaped/one", "shaped/ten"});
  }
  comm::World world;
  ScoredGroups mine;
};

// 1 and 3: mean 2, deviation sqrt(2).
TEST_F(AdvantagesOfTwoGroups, AreThoseOfEquation3) {
  auto s = made_settings();
  s.rule.epsilon = 0;
  const auto a = advantages(s);
  EXPECT_NEAR(a.of(0)[0], -1 / std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(a.of(0)[1], 1 / std::sqrt(2.0), 1e-12);
  EXPECT_EQ(a.of(1), (std::vector<double>{0, 0}));
}

// 1 3 2 2: squares 1 + 1 over 3.
TEST_F(AdvantagesOfTwoGroups, CanBeDividedByTheDeviationOfTheBatch) {
  auto s = made_settings();
  s.rule.divisor = grpo::Divisor::batch;
  s.rule.epsilon = 0;
  const auto a = advantages(s);
  EXPECT_NEAR(a.of(0)[1], 1 / std::sqrt(2.0 / 3.0), 1e-12);
  EXPECT_EQ(a.of(1), (std::vector<double>{0, 0}));
}

// With its weight of a tenth the second reward cancels the first in the sum, but each by itself teaches something.
TEST_F(AdvantagesOfTwoGroups, CanNormaliseEachRewardByItself) {
  auto s = made_settings();
  s.gdpo = true;
  EXPECT_GT(std::abs(advantages(s).of(0)[0]), 0.5);
  s.rule.most = 0.25;
  EXPECT_EQ(advantages(s).of(0)[1], 0.25);
}

TEST_F(AdvantagesOfTwoGroups, AreZeroWithoutAReward) {
  mine.rewards[0][0] = std::nan("");
  EXPECT_EQ(advantages(made_settings()).of(0), (std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace compeer::train
