#include "statistics/agreement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

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
  EXPECT_NEAR(cohen({{1, 0, 1}, {0, 1, 0}, {0, 0, 1}}, DisagreementWeights::linear), 0.5, 1e-15);
  EXPECT_NEAR(cohen({{1, 1, 0}, {0, 1, 0}, {0, 0, 1}}, DisagreementWeights::linear), 5.0 / 7, 1e-15);
  // Squares, (0,2): [2(1+8) + (1+2) + (4+1)] / 16 = 26/16; observed 1: 1 - 16/26.
  EXPECT_NEAR(cohen({{1, 0, 1}, {0, 1, 0}, {0, 0, 1}}, DisagreementWeights::quadratic), 10.0 / 26, 1e-15);
}

TEST(Cohen, IsUnknownWhereChanceAgreesEverywhere) {
  EXPECT_TRUE(std::isnan(cohen({{7, 0}, {0, 0}})));
  EXPECT_TRUE(std::isnan(cohen({{0, 0}, {0, 0}})));
  EXPECT_TRUE(std::isnan(cohen({})));
  EXPECT_EQ(cohen({{0, 7}, {0, 0}}), 0);
}

TEST(Fleiss, IsWhatRemainsBeyondChance) {
  // Three annotators, four items: pairs agreeing 1, 1/3, 1/3, 1; mean 2/3. Judgements 6 and 6: chance 1/2. 1/3.
  const ContingencyTable ratings{{3, 0}, {2, 1}, {1, 2}, {0, 3}};
  EXPECT_NEAR(observed_agreement(ratings), 2.0 / 3, 1e-15);
  EXPECT_NEAR(fleiss(ratings), 1.0 / 3, 1e-15);
  EXPECT_NEAR(randolph(ratings), 1.0 / 3, 1e-15);
}

TEST(Fleiss, TakesItemsWithDifferentNumbersOfAnnotators) {
  // Pairs agreeing: 1 (of one), 1/3; mean 2/3. The item judged once is left out: judgements 4 and 1, chance 17/25.
  const ContingencyTable ratings{{2, 0}, {2, 1}, {0, 1}};
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

// Rows of how often each label was given; categories 1 to 4 of Krippendorff's (2011) example with three coders.
const ContingencyTable coders{{1, 0, 0, 0}, {0, 0, 0, 0}, {0, 2, 0, 0}, {2, 0, 0, 0}, {0, 0, 2, 0},
                              {0, 0, 2, 1}, {0, 0, 0, 3}, {1, 0, 1, 0}, {0, 2, 0, 0}, {2, 0, 0, 0},
                              {2, 0, 0, 0}, {0, 0, 2, 0}, {0, 0, 2, 0}, {0, 0, 0, 0}, {0, 0, 1, 1}};

TEST(Krippendorff, IsWhatAHandWorksOut) {
  // Two items of two judgements, labels 0 0 and 0 1. Of 4 judgements 3 are 0. Nominal: pairs that differ within items 2
  // (both ways round), of all 2 * 3 * 1 = 6, so 1 - 3 * 2 / 6 = 0.
  EXPECT_NEAR(krippendorff({{2, 0}, {1, 1}}, Scale::nominal), 0, 1e-15);
  // Labels 0 0, 2 2, 0 1: counts 3 1 2. Interval: within items 2 * 1; of all 2 (3 * 1 * 1 + 3 * 2 * 4 + 1 * 2 * 1)
  // = 58.
  EXPECT_NEAR(krippendorff({{2, 0, 0}, {0, 0, 2}, {1, 1, 0}}, Scale::interval), 1 - 5 * 2.0 / 58, 1e-15);
  // Ordinal: 0 to 1 (3 + 1) / 2 = 2, 1 to 2 (1 + 2) / 2 = 1.5, 0 to 2 3 / 2 + 1 + 2 / 2 = 3.5; within items 2 * 4, of
  // all 2 (3 * 4 + 6 * 12.25 + 2 * 2.25) = 180.
  EXPECT_NEAR(krippendorff({{2, 0, 0}, {0, 0, 2}, {1, 1, 0}}, Scale::ordinal), 1 - 5 * 8.0 / 180, 1e-15);
}

// The package krippendorff 0.8 gives these numbers.
TEST(Krippendorff, IsThePackagesOfTheBooksExample) {
  EXPECT_NEAR(krippendorff(coders, Scale::nominal), 0.691358024691358, 1e-14);
  EXPECT_NEAR(krippendorff(coders, Scale::ordinal), 0.8067214199413153, 1e-14);
  EXPECT_NEAR(krippendorff(coders, Scale::interval), 0.8108448928121059, 1e-14);
}

TEST(Krippendorff, TakesTheLabelsValues) {
  const std::vector<double> values = {-4, -1, 0, 1, 4};
  // Two annotators: 0 0 1 2 3 4 4 2 1 3 and 0 1 1 2 4 4 2 2 0 1.
  const ContingencyTable two{{2, 0, 0, 0, 0}, {1, 1, 0, 0, 0}, {0, 2, 0, 0, 0}, {0, 0, 2, 0, 0}, {0, 0, 0, 1, 1},
                             {0, 0, 0, 0, 2}, {0, 0, 1, 0, 1}, {0, 0, 2, 0, 0}, {1, 1, 0, 0, 0}, {0, 1, 0, 1, 0}};
  EXPECT_NEAR(krippendorff(two, Scale::interval, values), 0.6681531029357117, 1e-14);
  EXPECT_NEAR(krippendorff(two, Scale::interval), 0.7289234760051881, 1e-14);
  EXPECT_NEAR(krippendorff(two, Scale::ordinal), 0.7544523246650906, 1e-14);
}

TEST(Krippendorff, IsUnknownWhereAllSayTheSame) {
  EXPECT_TRUE(std::isnan(krippendorff({{2, 0}, {3, 0}}, Scale::ordinal)));
  EXPECT_TRUE(std::isnan(krippendorff({}, Scale::nominal)));
}

}  // namespace
}  // namespace compeer::statistics
