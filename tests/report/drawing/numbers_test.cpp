#include "report/drawing/numbers.h"

#include <gtest/gtest.h>

namespace compeer::report {
namespace {

TEST(Numbers, HaveATrueMinusSignAndFixedDecimals) {
  EXPECT_EQ(fixed(0.5614, 3), "0.561");
  EXPECT_EQ(fixed(-3.2, 2), "−3.20");
  EXPECT_EQ(fixed(-0.0001, 2), "0.00");  // no negative zero
  EXPECT_EQ(fixed(12345.678, 1), "12\u2009345.7");
  EXPECT_EQ(fixed(1234, 0), "1234");
  EXPECT_EQ(fixed(missing, 2), "–");
  EXPECT_EQ(fixed(-INFINITY, 2), "−∞");
}

TEST(Numbers, DifferencesAlwaysShowTheirSign) {
  EXPECT_EQ(fixed_signed(0.141, 3), "+0.141");
  EXPECT_EQ(fixed_signed(-0.141, 3), "−0.141");
  EXPECT_EQ(fixed_signed(missing, 3), "–");
}

TEST(Numbers, CompactKeepsThreeDigits) {
  EXPECT_EQ(compact(0), "0");
  EXPECT_EQ(compact(2.643), "2.64");
  EXPECT_EQ(compact(0.03125), "0.0312");
  EXPECT_EQ(compact(2e-4), "2×10⁻⁴");
  EXPECT_EQ(compact(9.999e-4), "1×10⁻³");
  EXPECT_EQ(compact(-1.5e7), "−1.5×10⁷");
  EXPECT_EQ(compact(1480), "1480");
  EXPECT_EQ(compact(45), "45");
}

TEST(Numbers, DurationsReadAsPeopleSayThem) {
  EXPECT_EQ(duration(4.23), "4.2 s");
  EXPECT_EQ(duration(42.3), "42 s");
  EXPECT_EQ(duration(185), "3 min 05 s");
  EXPECT_EQ(duration(7800), "2 h 10 min");
  EXPECT_EQ(duration(missing), "–");
}

TEST(Numbers, DecimalsFollowTheUncertainty) {
  EXPECT_EQ(decimals_for(0.021), 3);  // 0.021: two digits, for they are at most 35
  EXPECT_EQ(decimals_for(0.08), 2);   // one digit
  EXPECT_EQ(decimals_for(0.1), 2);
  EXPECT_EQ(decimals_for(5), 0);
  EXPECT_EQ(decimals_for(1e-12), 6);
  EXPECT_EQ(decimals_for(missing), 3);
}

TEST(Numbers, AColumnLinesUpByItsMedianInterval) {
  EXPECT_EQ(column_decimals({{0.5, 0.48, 0.52, 9}, {0.6, 0.58, 0.62, 9}, {0.7, 0.2, 1.2, 9}}), 3);
  EXPECT_EQ(column_decimals({{0.99999, 0.999989, 0.999991, 9}}), 5);  // five digits will do
  EXPECT_EQ(column_decimals({{12.5, missing, missing, 0}}), 1);       // three digits without an interval
  EXPECT_EQ(column_decimals({}), 0);
}

TEST(Numbers, IntervalsStandInBrackets) {
  EXPECT_EQ(with_interval({0.561, 0.54, 0.582, 200}, 3), "0.561 [0.540, 0.582]");
  EXPECT_EQ(with_interval({0.561, missing, missing, 1}, 2), "0.56");
}

TEST(Ticks, AreRoundAndInside) {
  const auto at = ticks(0, 1, 5);
  ASSERT_EQ(at.size(), 6u);
  for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(at[i], 0.2 * i, 1e-12);
  EXPECT_EQ(tick_labels(ticks(0, 1, 5)), (std::vector<std::string>{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(ticks(1, 80, 5), (std::vector<double>{20, 40, 60, 80}));
  for (const double tick : ticks(-0.37, 12.2, 6)) {
    EXPECT_GE(tick, -0.37);
    EXPECT_LE(tick, 12.2);
  }
}

TEST(ColumnDecimals, OfIntervalsWithoutWidthAreThoseOfTheMeans) {
  EXPECT_EQ(column_decimals({{0.2, 0.2 - 1e-17, 0.2 + 3e-17, 3}, {0.05, 0.05, 0.05, 3}}), 3);
}

TEST(Ticks, OfAnEmptyRangeAreItsOneValue) {
  EXPECT_EQ(ticks(3, 3, 5), (std::vector<double>{3}));
  EXPECT_TRUE(ticks(missing, 1, 5).empty());
}

TEST(Ticks, AreNeverMoreThanOneOverTheirLimit) {
  for (double high = 0.001; high < 1e6; high *= 1.37) EXPECT_LE(ticks(0, high, 5).size(), 6u) << high;
}

TEST(Ticks, OfVerySmallValuesArePowersOfTen) {
  EXPECT_EQ(tick_labels({0, 1e-5, 2e-5}), (std::vector<std::string>{"0", "1×10⁻⁵", "2×10⁻⁵"}));
  EXPECT_EQ(tick_labels({0.99998, 0.99999, 1.0}), (std::vector<std::string>{"0.99998", "0.99999", "1.00000"}));
  EXPECT_EQ(tick_labels({0, 5e-4, 1e-3}), (std::vector<std::string>{"0.0000", "0.0005", "0.0010"}));
}

TEST(AxisRange, StartsAtZeroOnlyWhereZeroIsNear) {
  EXPECT_EQ(axis_range(0.1, 1.0).low, 0);
  EXPECT_NEAR(axis_range(0.8, 1.0).low, 0.79, 1e-12);
  EXPECT_EQ(axis_range(-1.0, -0.1).high, 0);
}

TEST(AxisRange, OfOneValueHasAirAroundIt) {
  EXPECT_LT(axis_range(2, 2).low, 2);
  EXPECT_GT(axis_range(2, 2).high, 2);
  EXPECT_LT(axis_range(0, 0).low, axis_range(0, 0).high);
}

}  // namespace
}  // namespace compeer::report
