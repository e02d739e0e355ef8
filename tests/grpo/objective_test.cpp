#include "grpo/objective.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "cases.h"
#include "grpo/functions.h"

namespace compeer::grpo {
namespace {

// Three completions of 2, 3 and 1 tokens with losses (1, 2), (3, 4, 5), (7).
const at::Tensor token_mask = at::tensor({1, 1, 0, 1, 1, 1, 1, 0, 0}, at::kDouble).view({3, 3});
const at::Tensor losses = at::tensor({1, 2, 99, 3, 4, 5, 7, 99, 99}, at::kDouble).view({3, 3});

double total(Average average) { return (weights(average, token_mask, {3, 6, 10}) * losses).sum().item<double>(); }

TEST(Average, OverCompletionsIsTheMeanOfTheirMeans) {
  EXPECT_NEAR(total(Average::completion), (1.5 + 4 + 7) / 3, 1e-12);
}
TEST(Average, OverTokensCountsEveryTokenOnce) { EXPECT_NEAR(total(Average::token), 22.0 / 6, 1e-12); }
TEST(Average, ByAConstantDoesNotKnowLengths) { EXPECT_NEAR(total(Average::constant), 22.0 / 30, 1e-12); }
TEST(Average, OfSumsFavoursLongCompletions) { EXPECT_NEAR(total(Average::sum), 22.0 / 3, 1e-12); }

// (1, 2) in one micro-batch, (3, 4, 5, 6, 7) in another: 28 / 7, not the mean of the means 1.5 and 5.
TEST(Average, DoesNotDependOnHowAStepIsCutUp) {
  const StepSize step{2, 7, 5};
  const auto first = at::tensor({1, 2}, at::kDouble).view({1, 2}),
             second = at::tensor({3, 4, 5, 6, 7}, at::kDouble).view({1, 5});
  const double sum = (weights(Average::token, at::ones_like(first), step) * first).sum().item<double>() +
                     (weights(Average::token, at::ones_like(second), step) * second).sum().item<double>();
  EXPECT_NEAR(sum, 4.0, 1e-12);
}

TEST(Average, CountsAnEmptyCompletion) {
  const auto mask = at::tensor({1, 1, 0, 0}, at::kDouble).view({2, 2});
  EXPECT_NEAR(weights(Average::completion, mask, {2, 2, 4}).sum().item<double>(), 0.5, 1e-12);
}

TEST(RowMean, IgnoresWhateverThePaddingHolds) {
  const auto values = at::tensor({1.0, std::nan(""), std::nan(""), 4.0}, at::kDouble).view({1, 4});
  const auto mask = at::tensor({1, 0, 0, 1}, at::kDouble).view({1, 4});
  expect_near(row_mean(values, mask), {2.5}, 1e-12);
}

at::Tensor grid(const std::vector<double>& values) { return at::tensor(values).view({3, 4}); }

// Three completions of up to four tokens; ratios on both sides of 1, some outside the clip range. Padding has arbitrary
// values.
Completions group() {
  Completions c;
  c.mask = grid({1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0});
  c.log_prob = grid({-1.2, -0.4, -2.1, -0.9, -1.6, -0.3, 50, -80, -0.8, -1.1, -2.4, 7});
  c.old_log_prob = grid({-1.0, -0.7, -2.0, -1.3, -1.5, -0.6, 0, 0, -0.9, -0.7, -2.3, -1});
  c.reference = grid({-1.1, -0.6, -1.9, -1.0, -1.4, -0.5, 3, 1, -1.0, -1.2, -2.0, 9});
  c.entropy = grid({1.1, 0.4, 1.9, 0.7, 1.2, 0.5, 3, 3, 0.8, 1.3, 0.6, 3});
  c.advantage = at::tensor(std::vector<double>{1.3, -0.9, 0.4}).unsqueeze(1);
  c.log_prob.set_requires_grad(true);
  c.entropy.set_requires_grad(true);
  return c;
}

const StepContext step_length{{3, 9, 6}, 0.65, 9};

Objective objective(const std::string& loss) {
  Objective o;
  o.loss = loss;
  o.kl = 0.05;
  o.kl_cov.share = o.clip_cov.share = 0.3;
  o.clip_cov.low = -10;
  return o;
}

at::Tensor value(const Completions& c, const Objective& o) {
  const auto order = at::arange(12, at::kDouble).view({3, 4});
  return group_loss(c, o, step_length, {}, order).value;
}

class EveryLoss : public testing::TestWithParam<std::string> {};

// CISPO and VESPO are skipped, because by design their gradient is not that of their value. KL-Cov and Clip-Cov select
// tokens by their log-probs; the steps are too small to change the selection.
TEST_P(EveryLoss, HasTheGradientOfItsValue) {
  const auto o = objective(GetParam());
  if (o.loss == "cispo" || o.loss == "vespo")
    GTEST_SKIP() << "its value is not what its gradient belongs to, by design";
  const auto c = group();
  value(c, o).backward();
  const double step = 1e-6;
  for (int64_t i = 0; i < 12; ++i) {
    auto moved = c;
    const auto at_offset = [&](double by) {
      moved.log_prob = c.log_prob.detach().clone();
      moved.log_prob.view({12})[i] += by;
      return value(moved, o).item<double>();
    };
    const double slope = (at_offset(step) - at_offset(-step)) / (2 * step);
    EXPECT_NEAR(c.log_prob.grad().view({12})[i].item<double>(), slope, 1e-7) << "place " << i;
  }
}

TEST_P(EveryLoss, LeavesPaddingAlone) {
  const auto c = group();
  value(c, objective(GetParam())).backward();
  EXPECT_EQ((c.log_prob.grad() * (1 - c.mask)).abs().sum().item<double>(), 0.0);
}

TEST_P(EveryLoss, GetsTheSameEntropyBonus) {
  const auto c = group();
  auto with = objective(GetParam());
  with.entropy_bonus = 0.02;
  const double bonus = (value(c, objective(GetParam())) - value(c, with)).item<double>();
  EXPECT_NEAR(bonus, 0.02 * (1.1 + 0.4 + 1.9 + 0.7 + 1.2 + 0.5 + 0.8 + 1.3 + 0.6) / 9, 1e-12);
}

// On policy all ratios are 1, so nothing is clipped, and every loss has a gradient along -A times the token's weight.
TEST_P(EveryLoss, OnPolicyHasThePolicyGradient) {
  auto c = group();
  c.old_log_prob = c.log_prob.detach();
  auto o = objective(GetParam());
  o.kl = 0;
  o.clip_cov.low = 100;  // no token is eligible
  const auto result = group_loss(c, o, step_length, {}, at::zeros({3, 4}, at::kDouble));
  EXPECT_EQ(clipping(c, result.ratio, o).max_distance, 0.0);
  result.value.backward();
  const auto sign = c.log_prob.grad() * c.advantage;
  if (o.loss == "kl_cov") return;  // |log r| has no gradient at 0; the other losses check the sign
  EXPECT_EQ(sign.gt(0).sum().item<int64_t>(), 0);
  EXPECT_EQ(sign.lt(0).sum().item<int64_t>(), 9);
}

INSTANTIATE_TEST_SUITE_P(Objective, EveryLoss, testing::ValuesIn(loss_names()),
                         [](const auto& name) { return name.param; });

// The gradient of CISPO and VESPO is - weight A for each token; their own tests check the weight.
TEST(Objective, OfWeightedLossesHasTheWeightAsGradient) {
  const auto c = group();
  auto o = objective("cispo");
  o.kl = 0;
  o.cispo = {0, 1.2};
  const auto result = group_loss(c, o, step_length);
  result.value.backward();
  const auto expected = -result.ratio.detach().clamp_max(1.2) * c.advantage * c.mask / 9.0;
  EXPECT_LT((c.log_prob.grad() - expected).abs().max().item<double>(), 1e-12);
}

// A step's loss does not depend on how its groups are batched.
TEST(Objective, AddsUpOverGroups) {
  const auto c = group();
  for (const auto& name : loss_names()) {
    if (name == "clip_cov" || name == "kl_cov") continue;  // they select among the tokens of one batch
    double sum = 0;
    for (int64_t i = 0; i < 3; ++i) {
      const auto row = [&](const at::Tensor& t) { return t.slice(0, i, i + 1); };
      sum += value({row(c.mask),
                    row(c.log_prob),
                    row(c.old_log_prob),
                    row(c.reference),
                    row(c.entropy),
                    row(c.advantage),
                    {}},
                   objective(name))
                 .item<double>();
    }
    EXPECT_NEAR(sum, value(c, objective(name)).item<double>(), 1e-12) << name;
  }
}

// Five of nine tokens have an entropy of .65 or more; the others have no gradient.
TEST(Objective, CanLearnFromHighEntropyAlone) {
  const auto c = group();
  auto o = objective("dapo");
  o.kl = 0;
  o.only_high_entropy = true;
  o.clip = {10, 10, 0, 0};
  group_loss(c, o, step_length).value.backward();
  EXPECT_EQ(c.log_prob.grad().count_nonzero().item<int64_t>(), 6);
}

// Off policy, k3 times the ratio has the gradient of the KL; without the ratio only the value is that of k3.
TEST(Objective, CanWeighTheKlByTheRatio) {
  const auto c = group();
  auto o = objective("grpo");
  const auto plain = group_loss(c, o, step_length).kl;
  o.kl_times_ratio = true;
  const auto weighted = group_loss(c, o, step_length);
  EXPECT_LT((weighted.kl - plain * weighted.ratio).abs().max().item<double>(), 1e-12);
}

TEST(Objective, CountsWhatIsCut) {
  const auto c = three_tokens();
  const auto o = objective("grpo");
  const auto cut = clipping(c, ratio(c, Level::token), o);
  EXPECT_EQ(cut.ratios, 3);
  EXPECT_EQ(cut.low, 0);  // the ratio .5 has A > 0, so it is not clipped
  EXPECT_EQ(cut.high, 1);
  EXPECT_NEAR(cut.max_distance, 0.5, 1e-5);
}

TEST(Objective, CountsNoClippingOfALossThatDoesNotClip) {
  const auto c = three_tokens();
  for (const char* loss : {"sapo", "vespo", "kl_cov"}) {
    const auto o = objective(loss);
    EXPECT_EQ(clipping(c, ratio(c, Level::token), o).high, 0) << loss;
  }
}

TEST(Objective, KnowsItsLossesByName) {
  EXPECT_EQ(loss_names().size(), 11u);
  EXPECT_THROW(value(group(), objective("gpro")), c10::Error);
}

// Ten entropies .1 to 1.0: the top fifth is above .82, the top half above .55.
TEST(HighEntropy, KeepsAShareOfAllTokens) {
  std::vector<double> entropies;
  for (int i = 1; i <= 10; ++i) entropies.push_back(0.1 * i);
  auto c = completion(entropies, entropies, {0});
  c.entropy = at::tensor(entropies, at::kDouble).unsqueeze(0);
  const auto kept = [&](double share) {
    return high_entropy(c, entropy_threshold(entropies, share)).sum().item<double>();
  };
  EXPECT_EQ(kept(0.2), 2);
  EXPECT_EQ(kept(0.5), 5);
  EXPECT_EQ(kept(1.0), 10);
  EXPECT_EQ(kept(0.0), 1);
  EXPECT_NEAR(entropy_threshold(entropies, 0.5), 0.55, 1e-12);
}

// The entropy at sampling time counts, so all updates on one rollout train the same tokens.
TEST(HighEntropy, LooksAtTheDraw) {
  auto c = completion({-1, -1}, {-1, -1}, {0});
  c.entropy = at::tensor({0.1, 0.9}, at::kDouble).unsqueeze(0);
  expect_near(high_entropy(c, 0.5), {0, 1}, 0);
  c.sampled_entropy = at::tensor({0.9, 0.1}, at::kDouble).unsqueeze(0);
  expect_near(high_entropy(c, 0.5), {1, 0}, 0);
}

// Log-ratios 2, .5 and 2 against a threshold of 1: only a completion with negative advantage and a large change is
// dropped.
TEST(NearPolicy, DropsBadCompletionsThatMovedFar) {
  Completions c;
  c.mask = at::tensor({1, 1, 0, 1, 1, 0, 1, 1, 0}, at::kDouble).view({3, 3});
  c.old_log_prob = at::zeros({3, 3}, at::kDouble);
  c.log_prob = at::tensor({-2.0, -2.0, 1e4, -.5, -.5, -1e4, -2.0, -2.0, 1e4}, at::kDouble).view({3, 3});
  c.advantage = at::tensor({1, -1, -1}, at::kDouble).unsqueeze(1);
  expect_near(off_policy_mask(c, 1.0), {1, 1, 0}, 0);
}

// pi_old / pi_sampler = exp(prev - gen) with prev = -1 and gen = -.5, -1.5, -.8.
class CorrectionTest : public testing::Test {
 protected:
  Completions c = three_tokens();
  at::Tensor gen = at::tensor({-.5, -1.5, -.8}, at::kDouble).unsqueeze(0);
};

TEST_F(CorrectionTest, WeighsTokensUpToACap) {
  expect_near(correction(c, gen, {false, false, 0, 100}), {0.6065, 1.6487, 0.8187}, 1e-4);
  expect_near(correction(c, gen, {false, false, 0, 0.8}), {0.6065, 0.8, 0.8}, 1e-4);
  expect_near(correction(c, gen, {false, false, 0.7, 1.0}), {0.7, 1.0, 0.8187}, 1e-4);
}

TEST_F(CorrectionTest, CanDropWhatLiesOutside) {
  const auto far = at::tensor({-.5, -3.5, -.8}, at::kDouble).unsqueeze(0);
  expect_near(correction(c, far, {false, true, 0.5, 5}), {0.6065, 0, 0.8187}, 1e-4);
}

TEST_F(CorrectionTest, OfACompletionIsAProduct) {
  expect_near(correction(c, gen, {true, false, 0, 100}), {std::exp(-0.2)}, 1e-9);
}

at::Tensor of(const std::vector<double>& values, at::ScalarType type = at::kDouble) {
  return at::tensor(values, at::kDouble).to(type);
}

TEST(Exponential, IsTheNearestNumber) {
  const auto y = exact_exp(of({0, 1, -1, 0.1, -INFINITY, 710}));
  EXPECT_EQ(y[0].item<double>(), 1.0);
  EXPECT_EQ(y[1].item<double>(), 2.718281828459045);
  EXPECT_EQ(y[2].item<double>(), 0.36787944117144233);
  EXPECT_EQ(y[3].item<double>(), 1.1051709180756477);
  EXPECT_EQ(y[4].item<double>(), 0.0);
  EXPECT_EQ(y[5].item<double>(), INFINITY);
  EXPECT_EQ(exact_exp(of({1}, at::kFloat)).item<float>(), 2.7182817F);
}

// libtorch's exp differs from the nearest number for up to one in a hundred (EPYC, libtorch 2.15).
TEST(Exponential, IsTheNearestNumberToEachOfManyFloats) {
  const auto x = at::linspace(-8, 8, 20'001, at::kFloat).view({3, 6667}).t();  // not contiguous
  const auto y = exact_exp(x);
  ASSERT_EQ(y.sizes(), x.sizes());
  for (int64_t i = 0; i < x.size(0); ++i) {
    for (int64_t j = 0; j < x.size(1); ++j) {
      const double exact = std::exp(static_cast<double>(x[i][j].item<float>()));
      ASSERT_EQ(y[i][j].item<float>(), static_cast<float>(exact)) << x[i][j].item<float>();
    }
  }
}

// d/dx of the sum of w e^x is w e^x.
TEST(Exponential, IsItsOwnDerivative) {
  auto x = of({0, 1, -1}).requires_grad_();
  (exact_exp(x) * of({3, 1, 2})).sum().backward();
  EXPECT_EQ(x.grad()[0].item<double>(), 3.0);
  EXPECT_EQ(x.grad()[1].item<double>(), 2.718281828459045);
  EXPECT_EQ(x.grad()[2].item<double>(), 2 * 0.36787944117144233);
}

TEST(Logarithm, IsTheNearestNumber) {
  const auto y = exact_log(of({1, 2, 0}));
  EXPECT_EQ(y[0].item<double>(), 0.0);
  EXPECT_EQ(y[1].item<double>(), 0.6931471805599453);
  EXPECT_EQ(y[2].item<double>(), -INFINITY);
}

}  // namespace
}  // namespace compeer::grpo
