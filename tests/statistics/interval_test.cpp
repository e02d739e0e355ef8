#include "statistics/interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "statistics/bootstrap.h"
#include "statistics/correlation.h"
#include "statistics/preference.h"

namespace compeer::statistics {
namespace {

constexpr double unknown = Interval::unknown;

TEST(MeanInterval, UsesStudentsT) {
  // 1, 2, 3: mean 2, deviation 1, t(2) = 4.30265: half interval 4.30265 / sqrt(3) = 2.48414.
  const auto three = mean_interval({1, unknown, 2, 3});
  EXPECT_EQ(three.n, 3);
  EXPECT_DOUBLE_EQ(three.mean, 2);
  EXPECT_NEAR(three.low, 2 - 2.48414, 1e-5);
  EXPECT_NEAR(three.high, 2 + 2.48414, 1e-5);
  EXPECT_FALSE(three.excludes_zero());
}

TEST(MeanInterval, NeedsTwoValues) {
  EXPECT_EQ(mean_interval({5}).mean, 5);
  EXPECT_FALSE(mean_interval({5}).has_interval());
  EXPECT_FALSE(mean_interval({5}).excludes_zero());
  EXPECT_FALSE(mean_interval(std::vector<double>()).known());
}

// Regression: a table of t up to nine degrees of freedom gave a width of zero from the eleventh value on.
TEST(MeanInterval, CountsWhatDependsOnEachOtherOnce) {
  // Four dialogues with two equal replies each: the interval is that of four values, not of eight.
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
  // Twelve values, six of 0 and six of 1: deviation sqrt(3/11) = .52223, t(11) = 2.20099, half interval .33181.
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
  EXPECT_TRUE(d.excludes_zero());
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
  EXPECT_NEAR(t_two_sided_p(1, 1), 0.5, 1e-12);  // Cauchy: 1 - 2 atan(1) / pi
  EXPECT_NEAR(t_two_sided_p(-2.2281389, 10), 0.05, 1e-7);
  EXPECT_NEAR(t_two_sided_p(2.7500, 30), 0.01, 1e-5);
  EXPECT_EQ(t_two_sided_p(0, 5), 1);
  EXPECT_EQ(t_two_sided_p(INFINITY, 5), 0);
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
  // p values .01, .04, .03: .01 x 3 = .03; .03 x 2 = .06; .04 x 1 = .04, raised to the previous .06.
  const auto corrected = holm(std::vector<double>{0.01, 0.04, unknown, 0.03});
  EXPECT_DOUBLE_EQ(corrected[0], 0.03);
  EXPECT_DOUBLE_EQ(corrected[1], 0.06);
  EXPECT_TRUE(std::isnan(corrected[2]));
  EXPECT_DOUBLE_EQ(corrected[3], 0.06);
  EXPECT_EQ(holm(std::vector<double>{0.9, 0.8})[0], 1);
}

// Fraction of the rows below 100, out of 400.
double quarter(std::span<const size_t> rows) {
  double count = 0;
  for (const size_t row : rows) count += row < 100;
  return count / static_cast<double>(rows.size());
}

TEST(Bootstrap, HoldsWhatTheoryExpects) {
  const auto estimate = bootstrap(400, quarter);
  EXPECT_DOUBLE_EQ(estimate.value, 0.25);
  // Standard error sqrt(.25 * .75 / 400) = .02165, times 1.96 = .0424.
  EXPECT_NEAR(estimate.low, 0.25 - 0.0424, 0.006);
  EXPECT_NEAR(estimate.high, 0.25 + 0.0424, 0.006);
}

TEST(Bootstrap, IsAFunctionOfTheSeed) {
  EXPECT_EQ(bootstrap(50, quarter).high, bootstrap(50, quarter).high);
  const auto one = bootstrap(400, quarter), other = bootstrap(400, quarter, {1000, 2, 0.95});
  EXPECT_TRUE(one.low != other.low || one.high != other.high);
}

TEST(Bootstrap, LeavesOutWhatIsNoNumber) {
  const auto estimate = bootstrap(2, [](std::span<const size_t> rows) { return rows[0] == rows[1] ? NAN : 5.0; });
  EXPECT_EQ(estimate.low, 5);
  EXPECT_EQ(estimate.high, 5);
  EXPECT_TRUE(std::isnan(bootstrap(1, [](std::span<const size_t>) { return NAN; }).low));
  EXPECT_TRUE(std::isnan(bootstrap(0, [](std::span<const size_t>) { return NAN; }).value));
}

// Expected: statsmodels 0.14, proportion_confint(count, nobs, method="wilson")
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

// (1 + 5) / 2^5 for each tail; for 1 against 9: 2 (1 + 10) / 2^10
TEST(SignTest, AddsUpBothTails) {
  EXPECT_NEAR(sign_test(4, 1), 2 * 6 / 32.0, 1e-12);
  EXPECT_NEAR(sign_test(1, 9), 22 / 1024.0, 1e-12);
  EXPECT_DOUBLE_EQ(sign_test(3, 3), 1);
  EXPECT_DOUBLE_EQ(sign_test(0, 0), 1);
}

// For two players the odds are the ratio of the wins.
TEST(BradleyTerry, OfTwoIsTheLogarithmOfTheirOdds) {
  const auto s = bradley_terry({{0, 3}, {1, 0}});
  EXPECT_NEAR(s[0] - s[1], std::log(3.0), 1e-9);
  EXPECT_NEAR(s[0] + s[1], 0, 1e-9);
}

// Strengths log 4, log 2, log 1 give expected wins in 60 games per pair of 40:20, 48:12 and 40:20, so they are the
// maximum likelihood estimate for these wins.
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
