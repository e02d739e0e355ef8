#include "grpo/losses.h"

#include <cmath>

#include "cases.h"

namespace compeer::grpo {
namespace {

const Clip clip{0.2, 0.2, 0, 0};

at::Tensor by_token(const Completions& c) { return ratio(c, Level::token); }

// .5 * 1, 1 * -1 and 1.2 * 2, cut from 1.5.
TEST(Clipped, FollowsTheObjectiveAsPrinted) {
  const auto c = three_tokens();
  const auto loss = clipped(c, by_token(c), clip);
  expect_near(loss, {-0.5, 1, -2.4}, 1e-5);
  EXPECT_NEAR(loss.mean().item<double>(), -0.6333, 1e-4);
}

// Ratios .5, 1 and 10 with advantages 1, -1, -4: without the cap the last would cost 40.
TEST(Clipped, WithDualClipBoundsWhatABadTokenCosts) {
  const auto c = completion({-1.69315, -1, -0.69741}, {-1, -1, -3}, {1, -1, -4});
  expect_near(clipped(c, by_token(c), {0.2, 0.2, 0, 3}), {-0.5, 1, 12}, 1e-4);
  expect_near(clipped(c, by_token(c), clip), {-0.5, 1, 40}, 1e-3);
  const auto d = completion({std::log(2), std::log(2), std::log(.5)}, {0, 0, 0}, {2, -2, 2});
  expect_near(clipped(d, by_token(d), {0.2, 0.2, 0, 1.5}), {-2.4, 3, -1}, 1e-9);
}

// A = -4 and ratio 10: delta 4 leaves 4 * 4 = 16.
TEST(Clipped, WithDeltaCapsTheUnclippedRatioToo) {
  const auto c = completion({std::log(10)}, {0}, {-4});
  expect_near(clipped(c, by_token(c), {0.2, 0.2, 4, 0}), {16}, 1e-9);
}

TEST(Clipped, BySequenceHasOneRatioForACompletion) {
  const auto c = three_tokens();
  const auto r = ratio(c, Level::sequence);
  expect_near(r, {0.9086}, 1e-4);  // exp((-.69315 + 0 + .40547) / 3)
  EXPECT_NEAR(clipped(c, r, clip).mean().item<double>(), -0.6057, 1e-4);
  const auto second = completion({-1.69315, -1, -0.59453}, {-2, -2, -2}, {1, -1, 2});
  expect_near(ratio(second, Level::sequence), {2.4697}, 1e-4);  // cut to 1.2 where that costs more
  expect_near(clipped(second, ratio(second, Level::sequence), clip), {-1.2, 2.4697, -2.4}, 1e-4);
}

// - clamp(r) A log pi: .8 * 1.69315, -1 * 1 and 1.2 * 2 * .59453, over three.
TEST(Cispo, KeepsEveryTokensGradientAndLimitsItsWeight) {
  const auto c = three_tokens();
  const auto loss = cispo(c, by_token(c), {0.8, 1.2});
  EXPECT_NEAR(loss.mean().item<double>(), 0.59380, 1e-5);
  loss.sum().backward();
  expect_near(c.log_prob.grad(), {-0.8, 1, -2.4}, 1e-5);
}

TEST(Cispo, OnPolicyIsReinforce) {
  const auto c = completion({-0.5, -1, -1.5}, {-0.5, -1, -1.5}, {1, -1, 2});
  EXPECT_NEAR(cispo(c, by_token(c), {}).mean().item<double>(), 0.8333, 1e-4);
}

// At ratio 1 the gate is 4/t * 1/2 and its slope 1: the gradient is the policy gradient's.
TEST(Sapo, HasThePolicyGradientAtRatioOne) {
  const auto c = completion({-1, -1}, {-1, -1}, {3, -3});
  sapo(c, by_token(c), {}).sum().backward();
  expect_near(c.log_prob.grad(), {-3, 3}, 1e-12);
}

// phi(w) = exp(lambda) w^k exp(-lambda w): for w = e^-1, A > 0: 3 - 2 - 3/e = -.10364, exp = .90155.
TEST(Vespo, WeighsWholeCompletionsByTheProductOfRatios) {
  const auto c = completion({-1.5, -1.5}, {-1, -1}, {2, 2});
  auto one = c;
  one.advantage = at::full({1, 1}, 2.0, at::kDouble);
  expect_near(vespo_phi(one, {}), {std::exp(1 - 3 / std::exp(1))}, 1e-12);
  one.old_log_prob = one.log_prob.detach();
  expect_near(vespo_phi(one, {}), {1}, 1e-12);
}

// A - mean A = (1, -1) and log pi - mean = (1, -1): covariance 1 and 1; A (0, 0) would give 0.
TEST(Covariance, IsOfAdvantageAndLogProb) {
  const auto c = completion({-1, -3}, {-1, -3}, {2, 0});
  expect_near(covariance(c), {1, 1}, 1e-12);
}

// All three lie in (0, 5); a third of three tokens is one: the one that comes first in `order`.
TEST(ClipCov, TakesTheGradientFromAShareOfTokens) {
  const auto c = completion({-1, -2, -6}, {-1, -2, -6}, {3, 2, 1});
  const auto order = at::tensor({0.7, 0.1, 0.9}, at::kDouble).unsqueeze(0);
  const auto loss = clip_cov(c, by_token(c), clip, {0.34, -10, 10}, order);
  expect_near(loss, {-3, 0, -1}, 1e-12);
  EXPECT_EQ(clip_cov(c, by_token(c), clip, {0.34, 50, 60}, order).count_nonzero().item<int64_t>(), 3);
}

// Covariances: A - 2 = (1, 0, -1), log pi + 3 = (2, 1, -3): 2, 0, 3. The last gets the penalty |log(r)| = .5.
TEST(KlCov, PenalisesWhereCovarianceIsLargestAndClipsNothing) {
  const auto c = completion({-1, -2, -6}, {-1, -2, -6.5}, {3, 2, 1});
  expect_near(kl_cov(c, by_token(c), {0.34, 2.0}), {-3, -2, -std::exp(0.5) + 2.0 * 0.5}, 1e-9);
}

}  // namespace
}  // namespace compeer::grpo
