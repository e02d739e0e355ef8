#include "statistics/agreement.h"

#include <gtest/gtest.h>

#include <cmath>

namespace compeer::statistics {
namespace {

TEST(Cohen, IsWhatRemainsBeyondChance) {
  // 50 items: both yes 20, both no 15, first alone yes 5, second alone yes 10. Observed 35/50 = .7;
  // chance .5 * .6 + .5 * .4 = .5; (.7 - .5) / (1 - .5) = .4.
  EXPECT_NEAR(cohen({{20, 5}, {10, 15}}), 0.4, 1e-15);
}

TEST(Cohen, CountsDistantLabelsMoreWithWeights) {
  // 4 items, labels 0 1 2: (0,0) (1,1) (2,2) and (0,2) or (0,1). Rows (2,1,1).
  // (0,2): columns (1,1,2), mean cost by chance, linear: [2(1+4) + (1+2) + (2+1)] / 16 = 1; observed 2/4.
  // (0,1): columns (1,2,1), [2(2+2) + (1+1) + (2+2)] / 16 = 7/8; observed 1/4: 1 - 2/7 = 5/7.
  EXPECT_NEAR(cohen({{1, 0, 1}, {0, 1, 0}, {0, 0, 1}}, Weights::linear), 0.5, 1e-15);
  EXPECT_NEAR(cohen({{1, 1, 0}, {0, 1, 0}, {0, 0, 1}}, Weights::linear), 5.0 / 7, 1e-15);
  // Squares, (0,2): [2(1+8) + (1+2) + (4+1)] / 16 = 26/16; observed 1: 1 - 16/26.
  EXPECT_NEAR(cohen({{1, 0, 1}, {0, 1, 0}, {0, 0, 1}}, Weights::quadratic), 10.0 / 26, 1e-15);
}

TEST(Cohen, IsUnknownWhereChanceAgreesEverywhere) {
  EXPECT_TRUE(std::isnan(cohen({{7, 0}, {0, 0}})));
  EXPECT_TRUE(std::isnan(cohen({{0, 0}, {0, 0}})));
  EXPECT_TRUE(std::isnan(cohen({})));
  EXPECT_EQ(cohen({{0, 7}, {0, 0}}), 0);
}

TEST(Fleiss, IsWhatRemainsBeyondChance) {
  // Three annotators, four items: pairs agreeing 1, 1/3, 1/3, 1; mean 2/3. Judgements 6 and 6: chance 1/2. 1/3.
  const Table ratings{{3, 0}, {2, 1}, {1, 2}, {0, 3}};
  EXPECT_NEAR(observed_agreement(ratings), 2.0 / 3, 1e-15);
  EXPECT_NEAR(fleiss(ratings), 1.0 / 3, 1e-15);
  EXPECT_NEAR(randolph(ratings), 1.0 / 3, 1e-15);
}

TEST(Fleiss, TakesItemsWithDifferentNumbersOfAnnotators) {
  // Pairs agreeing: 1 (of one), 1/3; mean 2/3. The item judged once is left out: judgements 4 and 1, chance 17/25.
  const Table ratings{{2, 0}, {2, 1}, {0, 1}};
  EXPECT_NEAR(observed_agreement(ratings), 2.0 / 3, 1e-15);
  EXPECT_NEAR(fleiss(ratings), (2.0 / 3 - 0.68) / 0.32, 1e-15);
}

TEST(Fleiss, IsUnknownWhereChanceAgreesEverywhere) {
  EXPECT_TRUE(std::isnan(fleiss({{2, 0}, {3, 0}})));
  EXPECT_EQ(randolph({{2, 0}, {3, 0}}), 1);
  EXPECT_TRUE(std::isnan(fleiss({{1, 0}})));
  EXPECT_TRUE(std::isnan(observed_agreement({})));
  EXPECT_TRUE(std::isnan(randolph({})));
}

}  // namespace
}  // namespace compeer::statistics
