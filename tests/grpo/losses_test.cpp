#include "grpo/losses.h"

#include <cmath>

#include "cases.h"
#include "grpo/objective.h"

namespace compeer::grpo {
namespace {

const double two = std::log(2.0);

// Two completions of three tokens and of two: ratios 2, 1/2, 2 and 1/2, 1/2. Padding has arbitrary values.
Completions two_completions() {
  Completions c;
  c.old_log_prob = at::tensor({-1.0, -2.0, -3.0, -1.0, -0.5, 40.0}, at::kDouble).view({2, 3});
  c.log_prob = at::tensor({-1.0 + two, -2.0 - two, -3.0 + two, -1.0 - two, -0.5 - two, -900.0}, at::kDouble)
                   .view({2, 3})
                   .set_requires_grad(true);
  c.mask = at::tensor({1.0, 1.0, 1.0, 1.0, 1.0, 0.0}, at::kDouble).view({2, 3});
  c.advantage = at::tensor({-1.0, -3.0}, at::kDouble).unsqueeze(1);
  return c;
}

// 2 * 1/2 * 2 = 2 and 1/2 * 1/2 = 1/4; their third and second roots.
TEST(Ratio, OfASequenceIsTheMeanOrTheProductOfItsTokens) {
  const auto c = two_completions();
  expect_near(ratio(c, Level::token), {2, 0.5, 2, 0.5, 0.5, 1}, 1e-12);
  expect_near(ratio(c, Level::sequence), {std::cbrt(2.0), 0.5}, 1e-12);
  expect_near(ratio(c, Level::sequence_product), {2, 0.25}, 1e-12);
}

TEST(Ratio, IsExactlyOneWhereNothingMoved) {
  auto c = two_completions();
  c.old_log_prob = c.log_prob.detach();
  for (const auto level : {Level::token, Level::sequence, Level::sequence_product})
    EXPECT_TRUE(ratio(c, level).eq(1).all().item<bool>());
}

Objective as_printed() {
  Objective o;
  o.level = Level::sequence_product;
  return o;
}

// Eq. 2 with A = -1, -3 and epsilon = .2: min(2 * -1, 1.2 * -1) = -2 and min(.25 * -3, .8 * -3) = -2.4; half of their
// sum is -2.2. The second is clipped, so it has no gradient; each token of the first has -A r / G = 1 * 2 / 2.
TEST(Ratio, AsAProductGivesTheObjectiveAsPrinted) {
  const auto c = two_completions();
  const auto result = group_loss(c, as_printed(), {{2, 5, 8}, 0, 5});
  EXPECT_NEAR(result.value.item<double>(), 2.2, 1e-12);
  result.value.backward();
  expect_near(c.log_prob.grad(), {1, 1, 1, 0, 0, 0}, 1e-12);
  const auto cut = clipping(c, result.ratio, as_printed());
  EXPECT_EQ(cut.ratios, 2);
  EXPECT_EQ(cut.low, 1);
  EXPECT_EQ(cut.high, 0);
  EXPECT_NEAR(cut.max_distance, 1, 1e-12);
}

// On policy the gradient of each token is -A / G for the product ratio, for any length; for the token ratio and the
// mean ratio it is -A / G / length.
TEST(Ratio, AsAProductPullsAtEachTokenAsIfItWereAlone) {
  for (const auto& [level, first, second] : {std::tuple{Level::sequence_product, 0.5, 1.5},
                                             {Level::sequence, 0.5 / 3, 1.5 / 2},
                                             {Level::token, 0.5 / 3, 1.5 / 2}}) {
    auto c = two_completions();
    c.old_log_prob = c.log_prob.detach();
    Objective o;
    o.level = level;
    group_loss(c, o, {{2, 5, 8}, 0, 5}).value.backward();
    expect_near(c.log_prob.grad(), {first, first, first, second, second, 0}, 1e-12);
  }
}

// Compares with finite differences for every ratio level, average and gate.
TEST(Ratio, OfEveryLevelHasTheGradientOfItsValue) {
  for (const auto level : {Level::token, Level::sequence, Level::sequence_product}) {
    for (const char* loss : {"grpo", "dapo", "dr_grpo", "luspo", "sapo"}) {
      auto c = two_completions();
      Objective o;
      o.level = level;
      o.loss = loss;
      o.clip = {0.9, 1.5, 0, 0};
      const auto value = [&](const Completions& now) { return group_loss(now, o, {{2, 5, 8}, 0, 5}).value; };
      value(c).backward();
      for (int64_t i = 0; i < 6; ++i) {
        auto moved = c;
        const auto at_offset = [&](double by) {
          moved.log_prob = c.log_prob.detach().clone();
          moved.log_prob.view({6})[i] += by;
          return value(moved).item<double>();
        };
        const double slope = (at_offset(1e-6) - at_offset(-1e-6)) / 2e-6;
        EXPECT_NEAR(c.log_prob.grad().view({6})[i].item<double>(), slope, 1e-7) << loss << ", place " << i;
      }
    }
  }
}

// 2000 tokens, each 1.5 times as likely as before: the product is 10^352. A = -1 is not clipped.
TEST(Ratio, AsAProductStaysAFiniteNumber) {
  for (const double by : {std::log(1.5), -std::log(1.5)}) {
    Completions c;
    c.old_log_prob = at::full({1, 2000}, -2.0, at::kFloat);
    c.log_prob = (c.old_log_prob + by).detach().set_requires_grad(true);
    c.mask = at::ones({1, 2000}, at::kFloat);
    c.advantage = at::full({1, 1}, -1.0, at::kFloat);
    auto o = as_printed();
    o.clip = {1, 0.2, 0, 0};
    const auto result = group_loss(c, o, {{1, 2000, 2000}, 0, 2000});
    EXPECT_FLOAT_EQ(result.ratio.item<float>(),
                    static_cast<float>(std::exp(by > 0 ? most_log_product : -most_log_product)));
    result.value.backward();
    EXPECT_EQ(c.log_prob.grad().abs().max().item<float>(), 0.0F);
  }
}

const Clip clip{0.2, 0.2, 0, 0};

at::Tensor by_token(const Completions& c) { return ratio(c, Level::token); }

// .5 * 1, 1 * -1 and 1.2 * 2, clipped from 1.5.
TEST(Clipped, FollowsTheObjectiveAsPrinted) {
  const auto c = three_tokens();
  const auto loss = clipped(c, by_token(c), clip);
  expect_near(loss, {-0.5, 1, -2.4}, 1e-5);
  EXPECT_NEAR(loss.mean().item<double>(), -0.6333, 1e-4);
}

// Ratios .5, 1 and 10 with advantages 1, -1, -4: without the dual clip the last token would cost 40.
TEST(Clipped, WithDualClipBoundsWhatABadTokenCosts) {
  const auto c = completion({-1.69315, -1, -0.69741}, {-1, -1, -3}, {1, -1, -4});
  expect_near(clipped(c, by_token(c), {0.2, 0.2, 0, 3}), {-0.5, 1, 12}, 1e-4);
  expect_near(clipped(c, by_token(c), clip), {-0.5, 1, 40}, 1e-3);
  const auto d = completion({std::log(2), std::log(2), std::log(.5)}, {0, 0, 0}, {2, -2, 2});
  expect_near(clipped(d, by_token(d), {0.2, 0.2, 0, 1.5}), {-2.4, 3, -1}, 1e-9);
}

// A = -4 and ratio 10: delta 4 gives 4 * 4 = 16.
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
  expect_near(ratio(second, Level::sequence), {2.4697}, 1e-4);  // clipped to 1.2 where that increases the loss
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

// At ratio 1 the gate is 4/t * 1/2 with slope 1, so the gradient equals the policy gradient.
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

// All three are within (0, 5); a third of three tokens is one token: the one with the smallest number in `order`.
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

at::Tensor numbers(std::vector<double> values) { return at::tensor(values, at::kDouble); }

// d = -1, 14, 29.
TEST(Kl, EstimatesFromOneToken) {
  const auto now = numbers({-1, -1, -1}), reference = numbers({0, -15, -30});
  expect_near(kl(now, reference, Estimator::k1), {-1, 14, 29}, 1e-12);
  expect_near(kl(now, reference, Estimator::k2), {0.5, 98, 420.5}, 1e-12);
  expect_near(kl(now, reference, Estimator::k3), {0.718282, 13, 28}, 1e-5);
}

TEST(Kl, CanBeLimited) {
  const auto now = numbers({-1, -1, -1}), reference = numbers({0, -15, -30});
  expect_near(kl(now, reference, Estimator::k1, {20, 10}), {-1, 10, 10}, 1e-12);
  expect_near(kl(now, reference, Estimator::k3, {20, 10}), {0.718282, 10, 10}, 1e-5);
}

TEST(Kl, HasNoGradientPastItsLimits) {
  auto now = numbers({-3, -1}).set_requires_grad(true);
  const auto k3 = kl(now, numbers({0, 0}), Estimator::k3, {2.0});
  expect_near(k3, {4.389056, 0.7182818}, 1e-6);
  k3.sum().backward();
  expect_near(now.grad(), {0, 1 - std::exp(1.0)}, 1e-12);
}

TEST(Kl, AsAPenaltyIsTheMeanOfK3) {
  expect_near(kl(numbers({0, -1, -2}), numbers({-1, -1, -1}), Estimator::k3), {0.367879, 0, 0.718282}, 1e-5);
}

// Small cases from the tests of other trainers that are not in the other test files.

at::Tensor row(std::vector<double> values) { return at::tensor(values, at::kDouble).unsqueeze(0); }
double mean_of(const at::Tensor& losses) { return losses.mean().item<double>(); }

at::Tensor clipped_by(Level level, const Completions& c) { return clipped(c, ratio(c, level), clip); }

TEST(PublishedCases, OnPolicyRatiosAreOneAndTheGradientIsNot0) {
  const auto c = completion({-0.5, -1, -1.5}, {-0.5, -1, -1.5}, {1, -1, 2});
  const auto loss = clipped_by(Level::token, c).mean();
  EXPECT_NEAR(loss.item<double>(), -0.6667, 1e-4);
  expect_near(ratio(c, Level::token), {1, 1, 1}, 0);
  loss.backward();
  expect_near(c.log_prob.grad(), {-1 / 3.0, 1 / 3.0, -2 / 3.0}, 1e-12);
}

TEST(PublishedCases, SequenceRatiosAreGeometricMeans) {
  expect_near(ratio(completion({1, 1}, {.5, .5}, {1}), Level::sequence), {1.6487}, 1e-4);
  expect_near(ratio(completion({2, 2, 2}, {1, 1, 1}, {1}), Level::sequence), {2.7183}, 1e-4);
}

TEST(PublishedCases, TwoSequencesAverage) {
  const auto first = three_tokens(), second = completion({-1.69315, -1, -0.59453}, {-2, -2, -2}, {1, -1, 2});
  EXPECT_NEAR((mean_of(clipped_by(Level::sequence, first)) + mean_of(clipped_by(Level::sequence, second))) / 2, -0.4912,
              1e-4);
}

TEST(PublishedCases, TokensOfTwoSequencesAverage) {
  const auto c = completion({1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1}, {1, 2, 3, 4, .5, .5, .5, .5});
  EXPECT_NEAR(mean_of(clipped_by(Level::token, c)), -1.5, 1e-12);
}

// Weighted by pi_old / pi_sampler, gen = -.5, -1.5, -.8.
TEST(PublishedCases, LossesOfTokensThatAnotherEngineSampled) {
  const auto c = three_tokens();
  const auto gen = row({-.5, -1.5, -.8}), token = clipped_by(Level::token, c);
  const auto all = token * correction(c, gen, {false, false, 0, 100});
  expect_near(all, {-0.30325, 1.6487, -1.96488}, 1e-4);
  EXPECT_NEAR(mean_of(all), -0.2065, 1e-4);
  EXPECT_NEAR(mean_of(token * correction(c, gen, {false, false, 0, 0.8})), -0.4744, 1e-4);
  EXPECT_NEAR(mean_of(clipped_by(Level::sequence, c) * correction(c, gen, {true, false, 0, 0.8})), -0.4846, 1e-4);
  const auto far = row({-.5, -3.5, -.8});
  EXPECT_NEAR(mean_of(token * correction(c, far, {false, true, 0.5, 5})), -0.7561, 1e-4);
}

// The weight of the whole sequence is e^-.2 = .8187.
TEST(PublishedCases, SequenceRatiosWithTheWeightOfTheWholeSequence) {
  const auto c = three_tokens();
  const auto weight = correction(c, row({-.5, -1.5, -.8}), {true, false, 0, 100});
  expect_near(weight, {.8187}, 1e-4);
  EXPECT_NEAR(mean_of(clipped_by(Level::sequence, c) * weight), -.4959, 1e-4);
}

TEST(PublishedCases, TheEntropyBonusRisesStepByStepWhileEntropyIsTooLow) {
  const EntropyControl control{2.0, .005, .1};
  double bonus = .01;
  for (int n = 1; n <= 6; ++n) {
    bonus = next_entropy_bonus(bonus, 1.5, control);
    EXPECT_NEAR(bonus, .01 + .005 * n, 1e-12);
  }
  EXPECT_NEAR(next_entropy_bonus(bonus, 2.0, control), .035, 1e-12);
  EXPECT_EQ(next_entropy_bonus(.002, 2.5, control), 0);
  EXPECT_EQ(next_entropy_bonus(.099, 1.5, control), .1);
}

TEST(PublishedCases, WeightsAreBoundedOnBothSides) {
  const auto c = completion({0, 0, 0}, {std::log(.1), 0, std::log(3)}, {1});
  expect_near(correction(c, row({0, 0, 0}), {false, false, 0, 2}), {.1, 1, 2}, 1e-12);
  expect_near(correction(c, row({0, 0, 0}), {false, false, .5, 2}), {.5, 1, 2}, 1e-12);
  const auto d = completion({-2, -2}, {-2, -2}, {1});
  expect_near(correction(d, row({-1, -2.5}), {false, false, 0, 100}), {.368, 1.649}, 1e-3);
  expect_near(correction(d, row({-1, -2.5}), {false, true, .5, 2}), {0, 1.649}, 1e-3);
}

TEST(PublishedCases, CispoWeightsLieInTheirRange) {
  const auto c = completion({0, std::log(1.14), std::log(1.56), std::log(.4)}, {0, 0, 0, 0}, {1, 1, 1, 1});
  cispo(c, ratio(c, Level::token), {0.8, 1.28}).sum().backward();
  expect_near(c.log_prob.grad(), {-1, -1.14, -1.28, -.8}, 1e-12);
}

// Weighted by pi / pi_sampler: .3033, 1.6487, 1.2281.
TEST(PublishedCases, KlOfTokensThatAnotherEngineSampled) {
  const auto now = row({-1.69315, -1, -0.59453}), reference = row({-1, -1, -1}), gen = row({-.5, -1.5, -.8});
  const auto weight = (now - gen).exp();
  expect_near(weight, {.3033, 1.6487, 1.2281}, 1e-4);
  expect_near(weight * kl(now, reference, Estimator::k3), {.3033 * .3069, 0, 1.2281 * .0721}, 1e-4);
}

TEST(PublishedCases, KlOfTheTokensOfTheFirstCase) {
  const auto now = row({-1.69315, -1, -0.59453}), reference = row({-1, -1, -1});
  expect_near(kl(now, reference, Estimator::k3), {.3069, 0, .0721}, 1e-4);
  expect_near(kl(row({-1, -1, -1}), row({0, -15, -30}), Estimator::k2, {20, 10}), {.5, 10, 10}, 1e-12);
}

}  // namespace
}  // namespace compeer::grpo
