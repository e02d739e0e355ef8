// Small cases that other trainers' own tests hold, beyond those in the tests of each file.
#include <cmath>

#include "cases.h"
#include "grpo/losses.h"
#include "grpo/objective.h"

namespace compeer::grpo {
namespace {

const Clip clip{0.2, 0.2, 0, 0};

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

// The weight of the one sequence is e^-.2 = .8187.
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
    bonus = next_bonus(bonus, 1.5, control);
    EXPECT_NEAR(bonus, .01 + .005 * n, 1e-12);
  }
  EXPECT_NEAR(next_bonus(bonus, 2.0, control), .035, 1e-12);
  EXPECT_EQ(next_bonus(.002, 2.5, control), 0);
  EXPECT_EQ(next_bonus(.099, 1.5, control), .1);
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
