#include "grpo/advantage.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "grpo/shaping.h"

namespace compeer::grpo {
namespace {

// Weights .7 and .5: [0, 1] is mapped to [0, .7], and [-2, 2] to [-1, 1].
TEST(Shaping, WithAWeightMapsARangeOntoAnother) {
  for (const auto& [reward, expected] : {std::pair{1.0, .7}, {.5, .35}, {.8, .56}})
    EXPECT_NEAR(.7 * shaped(reward, 9, true, {0, 1}), expected, 1e-12);
  for (const auto& [reward, expected] :
       {std::pair{-2.8, -1.0}, {-.25, -.125}, {1.5, .75}, {.5, .25}, {2.0, 1.0}, {2.5, 1.0}})
    EXPECT_NEAR(.5 * shaped(reward, 9, true, {-2, 2}), expected, 1e-12);
}

TEST(Shaping, ReducesRewardsOfCompletionsThatWereCutOff) {
  const Shaping half{.truncated_factor = .5};
  EXPECT_DOUBLE_EQ(shaped(1, 9, true, half), 1);
  EXPECT_DOUBLE_EQ(shaped(.8, 9, false, half), .4);
  EXPECT_DOUBLE_EQ(shaped(.6, 9, true, half), .6);
  EXPECT_DOUBLE_EQ(shaped(.4, 9, false, half), .2);
}

// At 25 of 100 tokens cos = .70711: .5 + .25 (1 + .70711) = .92678; at 75: .5 + .25 (1 - .70711) = .57322.
TEST(Shaping, ByTheCosineOfTheLengthPrefersShortRightAndLongWrongAnswers) {
  const Shaping cosine{.cosine = CosineLength{100, 0.5}};
  for (const auto& [tokens, size] : {std::pair{0, 1.0}, {25, .92678}, {50, .75}, {75, .57322}, {100, .5}, {200, .5}}) {
    EXPECT_NEAR(shaped(1, tokens, true, cosine), size, 1e-5) << tokens;
    EXPECT_NEAR(shaped(.5, tokens, true, cosine), -size, 1e-5) << tokens;
  }
}

TEST(Shaping, LeavesNoOpinionAlone) { EXPECT_TRUE(std::isnan(shaped(std::nan(""), 9, false, {0, 1, .5}))); }

at::Tensor rewards(std::vector<double> values, int64_t groups = 1) {
  return at::tensor(values, at::kDouble).view({groups, -1});
}

void expect_near(const at::Tensor& a, std::vector<double> expected, double tolerance) {
  ASSERT_EQ(a.numel(), static_cast<int64_t>(expected.size()));
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(a.flatten()[static_cast<int64_t>(i)].item<double>(), expected[i], tolerance) << i;
}

TEST(Advantages, IsZeroForEqualRewards) { expect_near(advantages(rewards({2, 2, 2})), {0, 0, 0}, 0); }

// mean 2, deviations -1 and 1, std with n - 1 = sqrt(2): -+1 / 1.41421...
TEST(Advantages, OfTwoRewardsIsTheirSignOverRootTwo) {
  expect_near(advantages(rewards({1, 3})), {-0.7071, 0.7071}, 1e-4);
  expect_near(advantages(rewards({1, 3}), {Baseline::group, Divisor::std, 1.0, 0.0, 1e-4}), {-0.70706, 0.70706}, 1e-5);
}

// Implementations differ for spreads as small as epsilon: std 0.0070711.
TEST(Advantages, ShrinksSmallSpreadsByEpsilon) {
  expect_near(advantages(rewards({1, 1.01})), {-0.70701, 0.70701}, 1e-5);
  expect_near(advantages(rewards({1, 1.01}), {Baseline::group, Divisor::std, 1.0, 0.0, 1e-4}), {-0.69725, 0.69725},
              1e-5);
}

// mean .25; std = sqrt((.75^2 + 3 * .25^2) / 3) = .5: .75 / .5001 and -.25 / .5001.
TEST(Advantages, OfOneHitInFour) {
  expect_near(advantages(rewards({1, 0, 0, 0}), {Baseline::group, Divisor::std, 1.0, 0.0, 1e-4}),
              {1.49970, -0.49990, -0.49990, -0.49990}, 1e-5);
  expect_near(advantages(rewards({1, 0, 0, 0}), {Baseline::group, Divisor::none}), {0.75, -0.25, -0.25, -0.25}, 1e-12);
  expect_near(advantages(rewards({1, 0, 0, 0}), {Baseline::group, Divisor::fixed, 1.5}),
              {0.5, -1 / 6.0, -1 / 6.0, -1 / 6.0}, 1e-12);
}

TEST(Advantages, TreatsEveryGroupAlone) {
  expect_near(advantages(rewards({1, 3, 100, 100, 5, 9}, 3)), {-0.7071, 0.7071, 0, 0, -0.7071, 0.7071}, 1e-4);
}

TEST(Advantages, OfASingleCompletionIsZero) { expect_near(advantages(rewards({7})), {0}, 0); }

const AdvantageRule leave_one_out_rule{Baseline::leave_one_out, Divisor::none};

// Baselines 2.5, 2, 1.5; for rewards 1, 2, 3, 4 they are 3, 8/3, 7/3, 2.
TEST(Advantages, CanLeaveOneOut) {
  expect_near(advantages(rewards({1, 2, 3}), leave_one_out_rule), {-1.5, 0, 1.5}, 1e-12);
  expect_near(advantages(rewards({1, 2, 3, 4}), leave_one_out_rule), {-2, -2 / 3.0, 2 / 3.0, 2}, 1e-12);
}

TEST(Advantages, LeaveOutCompletionsThatNobodyJudged) {
  const double none = std::nan("");
  expect_near(advantages(rewards({1, 2, none, 4, 5, 6}, 2), leave_one_out_rule), {-1, 1, 0, -1.5, 0, 1.5}, 1e-12);
  expect_near(advantages(rewards({1, none, 3})), {-0.7071, 0, 0.7071}, 1e-4);
  expect_near(advantages(rewards({5, none, none})), {0, 0, 0}, 0);
}

// If all other rewards are equal their deviation is 0, so the deviation of the whole group is used.
TEST(Advantages, LeavingOneOutDoNotExplode) {
  AdvantageRule rule = leave_one_out_rule;
  rule.divisor = Divisor::std;
  expect_near(advantages(rewards({1, 0, 0, 0}), rule), {2, -2 / 3.0, -2 / 3.0, -2 / 3.0}, 1e-5);
  const auto one_off = advantages(rewards({0, .95, .95, .95, .95, .95, .95, .95}), rule);
  EXPECT_LT(one_off.abs().max().item<double>(), 3.0);
}

TEST(Advantages, CanHaveAFloorUnderTheDivisor) {
  AdvantageRule rule;
  rule.floor = 0.5;
  expect_near(advantages(rewards({1, 1.01}), rule), {-0.01, 0.01}, 1e-9);
}

TEST(Advantages, CanBeCut) {
  const AdvantageRule rule{Baseline::none, Divisor::none, 1.0, 0.0, 0.0, -2, 3};
  expect_near(advantages(rewards({-10, 15, 0, 5}), rule), {-2, 3, 0, 3}, 0);
}

// Over both groups: mean 4, squares 9 + 1 + 1 + 9, deviation sqrt(20 / 3) = 2.58199; the means are per group.
TEST(Advantages, CanBeDividedByTheDeviationOfTheStep) {
  AdvantageRule rule;
  rule.divisor = Divisor::batch;
  rule.epsilon = 0;
  expect_near(advantages(rewards({1, 3, 5, 7}, 2), rule), {-0.38730, 0.38730, -0.38730, 0.38730}, 1e-5);
}

// A spread of 1e-5 around 1, and of 1 around 1e8, where only a two-pass variance is accurate.
TEST(Advantages, KeepTheirDigits) {
  expect_near(advantages(rewards({1, 1.00001})), {-0.62, 0.62}, 0.1);
  expect_near(advantages(rewards({1e8, 1e8 + 2})), {-0.7071, 0.7071}, 1e-4);
}

at::Tensor terms(std::vector<double> values, int64_t size, int64_t count) {
  return at::tensor(values, at::kDouble).view({1, size, count});
}

TEST(WeightedSum, UsesTheTermsThatWereGiven) {
  const double none = std::nan("");
  const auto sum = weighted_sum(terms({1, 2, none, 3, none, none}, 3, 2), at::tensor({1.0, 10.0}, at::kDouble));
  EXPECT_EQ(sum[0][0].item<double>(), 21);
  EXPECT_EQ(sum[0][1].item<double>(), 30);
  EXPECT_TRUE(std::isnan(sum[0][2].item<double>()));
}

TEST(WeightedSum, LeavesOutRewardsOfWeightZeroUnlessAllAre) {
  const double none = std::nan("");
  EXPECT_EQ(weighted_sum(std::vector{5.0, 3.0}, std::vector{0.0, 2.0}), 6);
  EXPECT_TRUE(std::isnan(weighted_sum(std::vector{5.0, none}, std::vector{0.0, 2.0})));
  EXPECT_EQ(weighted_sum(std::vector{5.0, none}, std::vector{0.0, 0.0}), 0);
  EXPECT_TRUE(std::isnan(weighted_sum(std::vector{none}, std::vector{0.0})));
}

// 1e16 + 1 rounds to 1e16, so the result depends on the order of additions.
TEST(WeightedSum, AddsInTheOrderOfTheRewards) {
  EXPECT_EQ(weighted_sum(std::vector{1.0, 1e16, -1e16}, std::vector{1.0, 1.0, 1.0}), 0);
  EXPECT_EQ(weighted_sum(std::vector{1e16, -1e16, 1.0}, std::vector{1.0, 1.0, 1.0}), 1);
  const auto rows = weighted_sum(terms({1.0, 1e16, -1e16, 1e16, -1e16, 1.0}, 2, 3), at::ones({3}, at::kDouble));
  EXPECT_EQ(rows[0][0].item<double>(), 0);
  EXPECT_EQ(rows[0][1].item<double>(), 1);
}

// Correctness (1, 1), integer (1, -1), format (1, 0): the first term has no variance, each of the others gives -+.7071.
TEST(NormalizeThenSum, LetsNoTermDrownAnother) {
  const auto a = normalize_then_sum(terms({1, 1, 1, 1, -1, 0}, 2, 3), at::ones({3}, at::kDouble));
  expect_near(a, {0.7071, -0.7071}, 1e-4);
  const auto scaled = normalize_then_sum(terms({1, 100, 1, 1, -100, 0}, 2, 3), at::ones({3}, at::kDouble));
  expect_near(scaled, {0.7071, -0.7071}, 1e-4);
}

TEST(ZeroVariance, IsExact) {
  const auto zero = zero_variance(rewards({1, 1, 1, 1.0000001}, 2));
  EXPECT_TRUE(zero[0].item<bool>());
  EXPECT_FALSE(zero[1].item<bool>());
}

}  // namespace
}  // namespace compeer::grpo
