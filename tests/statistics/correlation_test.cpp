#include "statistics/correlation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace compeer::statistics {
namespace {

using Values = std::vector<double>;

TEST(Correlation, IsOneForWhatGoesTogether) {
  const Values x{1, 2, 3, 4}, cubes{1, 8, 27, 64}, down{4, 3, 2, 1};
  EXPECT_DOUBLE_EQ(pearson(x, down), -1);
  EXPECT_LT(pearson(x, cubes), 0.96);
  EXPECT_DOUBLE_EQ(spearman(x, cubes), 1);
  EXPECT_DOUBLE_EQ(kendall(x, down), -1);
}

TEST(Correlation, SharesRanksAmongTies) {
  // Ranks of y: 1.5, 1.5, 3. Deviations (-1, 0, 1) and (-.5, -.5, 1): 1.5 / sqrt(2 * 1.5).
  const Values x{1, 2, 3}, y{5, 5, 9};
  EXPECT_NEAR(spearman(x, y), 1.5 / std::sqrt(3), 1e-15);
  // Pairs: two agree, one ties in y: 2 / sqrt(3 * 2).
  EXPECT_NEAR(kendall(x, y), 2 / std::sqrt(6), 1e-15);
}

TEST(Correlation, IsUnknownWhereNothingVaries) {
  EXPECT_TRUE(std::isnan(pearson(Values{1, 1}, Values{1, 2})));
  EXPECT_TRUE(std::isnan(spearman(Values{1, 2}, Values{3, 3})));
  EXPECT_TRUE(std::isnan(kendall(Values{1, 1}, Values{1, 2})));
  EXPECT_TRUE(std::isnan(pearson(Values{1}, Values{1})));
}

}  // namespace
}  // namespace compeer::statistics
