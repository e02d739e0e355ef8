#include "grpo/advantage.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace compeer::grpo {
namespace {

at::Tensor rewards(std::vector<double> values, int64_t groups = 1) {
  return at::tensor(values, at::kDouble).view({groups, -1});
}

void expect_near(const at::Tensor& a, std::vector<double> expected, double tolerance) {
  ASSERT_EQ(a.numel(), static_cast<int64_t>(expected.size()));
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(a.flatten()[static_cast<int64_t>(i)].item<double>(), expected[i], tolerance) << i;
}

TEST(GroupAdvantage, IsZeroForEqualRewards) { expect_near(group_advantage(rewards({2, 2, 2})), {0, 0, 0}, 0); }

// mean 2, deviations -1 and 1, std with n - 1 = sqrt(2): -+1 / 1.41421...
TEST(GroupAdvantage, OfTwoRewardsIsTheirSignOverRootTwo) {
  expect_near(group_advantage(rewards({1, 3})), {-0.7071, 0.7071}, 1e-4);
  expect_near(group_advantage(rewards({1, 3}), Divisor::std, 1.0, 1e-4), {-0.70706, 0.70706}, 1e-5);
}

// A spread as small as epsilon is where implementations differ: std 0.0070711.
TEST(GroupAdvantage, ShrinksSmallSpreadsByEpsilon) {
  expect_near(group_advantage(rewards({1, 1.01})), {-0.70701, 0.70701}, 1e-5);
  expect_near(group_advantage(rewards({1, 1.01}), Divisor::std, 1.0, 1e-4), {-0.69725, 0.69725}, 1e-5);
}

// mean .25; std = sqrt((.75^2 + 3 * .25^2) / 3) = .5: .75 / .5001 and -.25 / .5001.
TEST(GroupAdvantage, OfOneHitInFour) {
  expect_near(group_advantage(rewards({1, 0, 0, 0}), Divisor::std, 1.0, 1e-4), {1.49970, -0.49990, -0.49990, -0.49990},
              1e-5);
  expect_near(group_advantage(rewards({1, 0, 0, 0}), Divisor::none), {0.75, -0.25, -0.25, -0.25}, 1e-12);
  expect_near(group_advantage(rewards({1, 0, 0, 0}), Divisor::fixed, 1.5), {0.5, -1 / 6.0, -1 / 6.0, -1 / 6.0}, 1e-12);
}

TEST(GroupAdvantage, TreatsEveryGroupAlone) {
  expect_near(group_advantage(rewards({1, 3, 100, 100, 5, 9}, 3)), {-0.7071, 0.7071, 0, 0, -0.7071, 0.7071}, 1e-4);
}

TEST(GroupAdvantage, OfASingleCompletionIsZero) { expect_near(group_advantage(rewards({7})), {0}, 0); }

TEST(ZeroVariance, IsExact) {
  const auto zero = zero_variance(rewards({1, 1, 1, 1.0000001}, 2));
  EXPECT_TRUE(zero[0].item<bool>());
  EXPECT_FALSE(zero[1].item<bool>());
}

}  // namespace
}  // namespace compeer::grpo
