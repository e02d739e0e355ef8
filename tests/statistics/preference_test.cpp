#include "statistics/preference.h"

#include <gtest/gtest.h>

#include <cmath>

namespace compeer::statistics {
namespace {

// statsmodels 0.14, proportion_confint(count, nobs, method="wilson")
TEST(Wilson, IsThatOfStatsmodels) {
  const auto some = wilson(7, 20);
  EXPECT_DOUBLE_EQ(some.value, 0.35);
  EXPECT_NEAR(some.low, 0.18119182410108203, 1e-12);
  EXPECT_NEAR(some.high, 0.5671457233147638, 1e-12);
}

// z^2 / (n + z^2) of 10: 3.8415 / 13.8415
TEST(Wilson, HasAnIntervalForNoneAndAll) {
  EXPECT_EQ(wilson(0, 10).low, 0);
  EXPECT_NEAR(wilson(0, 10).high, 0.2775, 1e-4);
  EXPECT_NEAR(wilson(10, 10).low, 1 - 0.2775, 1e-4);
  EXPECT_EQ(wilson(10, 10).high, 1);
  EXPECT_TRUE(std::isnan(wilson(0, 0).value));
}

// (1 + 5) / 2^5 on either side; of 1 against 9: 2 (1 + 10) / 2^10
TEST(SignTest, AddsUpBothTails) {
  EXPECT_NEAR(sign_test(4, 1), 2 * 6 / 32.0, 1e-12);
  EXPECT_NEAR(sign_test(1, 9), 22 / 1024.0, 1e-12);
  EXPECT_DOUBLE_EQ(sign_test(3, 3), 1);
  EXPECT_DOUBLE_EQ(sign_test(0, 0), 1);
}

// Two alone: the odds are those of the wins.
TEST(BradleyTerry, OfTwoIsTheLogarithmOfTheirOdds) {
  const auto s = bradley_terry({{0, 3}, {1, 0}});
  EXPECT_NEAR(s[0] - s[1], std::log(3.0), 1e-9);
  EXPECT_NEAR(s[0] + s[1], 0, 1e-9);
}

// Strengths log 4, log 2, log 1 give expected wins of 60 games a pair: 40:20, 48:12, 40:20, which they are the
// likeliest for.
TEST(BradleyTerry, FindsTheStrengthsThatExplainTheWins) {
  const auto s = bradley_terry({{0, 40, 48}, {20, 0, 40}, {12, 20, 0}});
  EXPECT_NEAR(s[0], std::log(2.0), 1e-9);
  EXPECT_NEAR(s[1], 0, 1e-9);
  EXPECT_NEAR(s[2], -std::log(2.0), 1e-9);
}

TEST(BradleyTerry, IsUnknownWhereSomebodyNeverLost) {
  for (const double s : bradley_terry({{0, 2, 2}, {0, 0, 1}, {0, 1, 0}})) EXPECT_TRUE(std::isnan(s));
}

TEST(BradleyTerry, IsUnknownWhereTwoWereNeverCompared) {
  for (const double s : bradley_terry({{0, 1, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 1, 0}}))
    EXPECT_TRUE(std::isnan(s));
}

}  // namespace
}  // namespace compeer::statistics
