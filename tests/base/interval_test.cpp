#include "base/interval.h"

#include <gtest/gtest.h>

#include <cmath>

namespace compeer {
namespace {

TEST(MeanInterval, UsesStudentsT) {
  // 1, 2, 3: mean 2, deviation 1, t(2) = 4.303: half of it is 4.303 / sqrt(3) = 2.4843.
  const auto three = mean_interval({1, Interval::unknown, 2, 3});
  EXPECT_EQ(three.n, 3u);
  EXPECT_DOUBLE_EQ(three.mean, 2);
  EXPECT_NEAR(three.low, 2 - 2.4843, 1e-4);
  EXPECT_NEAR(three.high, 2 + 2.4843, 1e-4);
}

TEST(MeanInterval, NeedsTwoValues) {
  EXPECT_EQ(mean_interval({5}).mean, 5);
  EXPECT_TRUE(std::isnan(mean_interval({5}).low));
  EXPECT_TRUE(std::isnan(mean_interval({}).mean));
}

TEST(TQuantile, AgreesWithTables) {
  EXPECT_NEAR(t_quantile(1), 12.706, 1e-3);
  EXPECT_NEAR(t_quantile(11), 2.201, 1e-3);
  EXPECT_NEAR(t_quantile(20), 2.086, 1e-3);
  EXPECT_NEAR(t_quantile(199), 1.972, 1e-3);
}

}  // namespace
}  // namespace compeer
