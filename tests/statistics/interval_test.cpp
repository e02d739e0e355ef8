#include "statistics/interval.h"

#include <gtest/gtest.h>

namespace compeer::statistics {
namespace {

constexpr double unknown = Interval::unknown;

TEST(MeanInterval, UsesStudentsT) {
  // 1, 2, 3: mean 2, deviation 1, t(2) = 4.30265: half of it is 4.30265 / sqrt(3) = 2.48414.
  const auto three = mean_interval({1, unknown, 2, 3});
  EXPECT_EQ(three.n, 3);
  EXPECT_DOUBLE_EQ(three.mean, 2);
  EXPECT_NEAR(three.low, 2 - 2.48414, 1e-5);
  EXPECT_NEAR(three.high, 2 + 2.48414, 1e-5);
  EXPECT_FALSE(three.clear());
}

TEST(MeanInterval, NeedsTwoValues) {
  EXPECT_EQ(mean_interval({5}).mean, 5);
  EXPECT_FALSE(mean_interval({5}).has_interval());
  EXPECT_FALSE(mean_interval({5}).clear());
  EXPECT_FALSE(mean_interval(std::vector<double>()).known());
}

// A table that ended at nine degrees of freedom gave a width of zero from the eleventh value on.
TEST(MeanInterval, CountsWhatDependsOnEachOtherOnce) {
  // Four dialogues of two replies that say the same: as wide as four values, not as eight.
  const std::vector<double> four{1, 2, 4, 9}, eight{1, 1, 2, 2, 4, 4, 9, 9};
  const std::vector<uint64_t> dialogues{7, 7, 1, 1, 5, 5, 3, 3}, alone{1, 2, 3, 4};
  const auto wanted = mean_interval(four), found = mean_interval(eight, dialogues);
  EXPECT_EQ(found.mean, 4);
  EXPECT_NEAR(found.low, wanted.low, 1e-12);
  EXPECT_NEAR(found.high, wanted.high, 1e-12);
  EXPECT_EQ(mean_interval(four, alone).low, wanted.low);
  EXPECT_FALSE(mean_interval(four, std::vector<uint64_t>(4, 1)).has_interval());
}

TEST(MeanInterval, HasAWidthForAnyNumberOfValues) {
  std::vector<double> values;
  for (int i = 0; i < 64; ++i) {
    values.push_back(i % 2);
    if (i < 2) continue;
    const auto interval = mean_interval(values);
    EXPECT_GT(interval.high - interval.low, 0.2) << values.size();
    EXPECT_LT(interval.high - interval.low, 2.9) << values.size();
  }
  // Twelve values, six of 0 and six of 1: deviation sqrt(3/11) = .52223, t(11) = 2.20099, half .33181.
  EXPECT_NEAR(mean_interval(std::span(values).first(12)).high, 0.5 + 0.33181, 1e-5);
}

TEST(MeanInterval, TakesTheValueThatFilesOfEarlierVersionsRepeatForNoInterval) {
  EXPECT_FALSE((Interval{0.5, 0.5, 0.5, 1}.has_interval()));
}

TEST(IndependentDifference, JoinsTheHalfWidths) {
  // 0.70 [0.68, 0.73] - 0.50 [0.46, 0.53]: low 0.20 - hypot(.02, .03), high 0.20 + hypot(.03, .04)
  const auto d = independent_difference({0.70, 0.68, 0.73, 100}, {0.50, 0.46, 0.53, 100});
  EXPECT_NEAR(d.mean, 0.20, 1e-12);
  EXPECT_NEAR(d.low, 0.20 - 0.0360555, 1e-6);
  EXPECT_NEAR(d.high, 0.20 + 0.05, 1e-12);
  EXPECT_TRUE(d.clear());
  EXPECT_FALSE(independent_difference({1, unknown, unknown, 1}, {0, -1, 1, 5}).has_interval());
  EXPECT_FALSE(independent_difference({}, {0, -1, 1, 5}).known());
}

TEST(TQuantile, AgreesWithPublishedTables) {
  EXPECT_NEAR(t_quantile(1), 12.7062047, 1e-6);
  EXPECT_NEAR(t_quantile(2), 4.3026527, 1e-6);
  EXPECT_NEAR(t_quantile(10), 2.2281389, 1e-6);
  EXPECT_NEAR(t_quantile(30), 2.0422725, 1e-6);
  EXPECT_NEAR(t_quantile(1000), 1.9623391, 1e-6);
  EXPECT_NEAR(t_quantile(10'000'000), 1.959964, 1e-6);
  EXPECT_TRUE(std::isnan(t_quantile(0)));
}

TEST(TTails, AgreesWithPublishedTables) {
  EXPECT_NEAR(t_tails(1, 1), 0.5, 1e-12);  // Cauchy: 1 - 2 atan(1) / pi
  EXPECT_NEAR(t_tails(-2.2281389, 10), 0.05, 1e-7);
  EXPECT_NEAR(t_tails(2.7500, 30), 0.01, 1e-5);
  EXPECT_EQ(t_tails(0, 5), 1);
  EXPECT_EQ(t_tails(INFINITY, 5), 0);
}

TEST(TTest, FitsTheInterval) {
  // 1, 2, 3: t = 2 / (1 / sqrt(3)) = 3.4641 with two degrees of freedom, p = 1 - t / sqrt(2 + t^2) = .07418.
  const std::vector<double> values = {1, 2, 3};
  EXPECT_NEAR(t_test(values), 0.07418, 1e-5);
  EXPECT_TRUE(std::isnan(t_test(std::vector<double>{4, unknown})));
  EXPECT_EQ(t_test(std::vector<double>{4, 4}), 0);
  EXPECT_EQ(t_test(std::vector<double>{0, 0}), 1);
}

TEST(Holm, HoldsTheSmallestAgainstAllAndTheNextAgainstTheRest) {
  // Of .01, .04, .03: .01 x 3 = .03; .03 x 2 = .06; .04 x 1 = .04, but no less than the one before.
  const auto corrected = holm(std::vector<double>{0.01, 0.04, unknown, 0.03});
  EXPECT_DOUBLE_EQ(corrected[0], 0.03);
  EXPECT_DOUBLE_EQ(corrected[1], 0.06);
  EXPECT_TRUE(std::isnan(corrected[2]));
  EXPECT_DOUBLE_EQ(corrected[3], 0.06);
  EXPECT_EQ(holm(std::vector<double>{0.9, 0.8})[0], 1);
}

}  // namespace
}  // namespace compeer::statistics
