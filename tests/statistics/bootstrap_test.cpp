#include "statistics/bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>

namespace compeer::statistics {
namespace {

// The share of the first hundred of 400.
double quarter(std::span<const size_t> rows) {
  double count = 0;
  for (const size_t row : rows) count += row < 100;
  return count / static_cast<double>(rows.size());
}

TEST(Bootstrap, HoldsWhatTheoryExpects) {
  const auto estimate = bootstrap(400, quarter);
  EXPECT_DOUBLE_EQ(estimate.value, 0.25);
  // sqrt(.25 * .75 / 400) = .02165; 1.96 of it is .0424.
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

}  // namespace
}  // namespace compeer::statistics
