#include "grpo/objective.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

namespace compeer::grpo {
namespace {

// Three completions of one token each: ratios .5, 1, 1.5 with advantages 1, -1, 2 and clip .2.
class ThreeTokens : public testing::Test {
 protected:
  at::Tensor now = at::tensor({-1.0 - std::log(2.0), -1.0, -1.0 + std::log(1.5)}, at::kFloat).set_requires_grad(true);
  at::Tensor old = at::tensor({-1.0, -1.0, -1.0}, at::kFloat);
  std::vector<double> advantages{1, -1, 2}, third{1 / 3.0, 1 / 3.0, 1 / 3.0};
};

// Per token .5 * 1, 1 * -1, 1.2 * 2 (cut from 1.5): loss = -(.5 - 1 + 2.4) / 3.
TEST_F(ThreeTokens, FollowTheClippedObjective) {
  const auto loss = policy_loss({now, old, {1, 1, 1}}, advantages, third, {});
  EXPECT_NEAR(loss.value.item<double>(), -0.6333333, 1e-6);
  EXPECT_EQ(loss.clipped, 1);
  EXPECT_NEAR(loss.ratio_distance, 0.5, 1e-6);
}

// d loss / d log_prob = -A ratio / 3, and 0 where the cut is active.
TEST_F(ThreeTokens, HaveNoGradientWhereTheyAreCut) {
  const auto loss = policy_loss({now, old, {1, 1, 1}}, advantages, third, {});
  const auto gradient = torch::autograd::grad({loss.value}, {now})[0];
  EXPECT_NEAR(gradient[0].item<double>(), -0.5 / 3, 1e-6);
  EXPECT_NEAR(gradient[1].item<double>(), 1.0 / 3, 1e-6);
  EXPECT_EQ(gradient[2].item<double>(), 0.0);
}

TEST_F(ThreeTokens, OnPolicyHaveRatioOneExactlyAndAGradient) {
  const auto loss = policy_loss({now, now.detach(), {1, 1, 1}}, advantages, third, {});
  EXPECT_NEAR(loss.value.item<double>(), -2 / 3.0, 1e-6);
  EXPECT_EQ(loss.ratio_distance, 0.0);
  EXPECT_EQ(loss.clipped, 0);
  EXPECT_GT(torch::autograd::grad({loss.value}, {now})[0].abs().sum().item<double>(), 0.5);
}

// One completion of the three tokens: ratio exp(mean log-ratio) = exp((-.6931 + 0 + .4055) / 3) = .9086 for each.
TEST_F(ThreeTokens, AsOneSequenceShareOneRatio) {
  const auto loss = policy_loss({now, old, {3}}, {2.0}, {1 / 3.0}, {0.2, 0.2, true});
  EXPECT_NEAR(loss.value.item<double>(), -2 * 0.908560, 1e-5);
}

// A bad completion that became likelier is not cut: min takes the worse of the two. ratio 2, A -1: -2 * -1 / 1.
TEST(PolicyLoss, IsTheWorseOfCutAndUncut) {
  const auto now = at::tensor({std::log(2.0), std::log(0.5)}, at::kFloat), old = at::zeros({2});
  const auto loss = policy_loss({now, old, {1, 1}}, {-1, -1}, {1, 1}, {});
  EXPECT_NEAR(loss.value.item<double>(), 2.0 + 0.8, 1e-6);  // the second is held at .8
}

TEST(TokenWeight, MakesTheMeansThatTheNamesPromise) {
  const StepSize step{4, 40, 64};
  EXPECT_DOUBLE_EQ(token_weight(Aggregation::grpo, 5, step), 1.0 / (4 * 5));
  EXPECT_DOUBLE_EQ(token_weight(Aggregation::bnpo, 5, step), 1.0 / 40);
  EXPECT_DOUBLE_EQ(token_weight(Aggregation::dr_grpo, 5, step), 1.0 / (4 * 64));
}

}  // namespace
}  // namespace compeer::grpo
