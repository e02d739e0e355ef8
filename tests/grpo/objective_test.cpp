#include "grpo/objective.h"

#include <cmath>

#include "cases.h"

namespace compeer::grpo {
namespace {

at::Tensor grid(const std::vector<double>& values) { return at::tensor(values).view({3, 4}); }

// Three completions of up to four tokens; ratios on both sides of 1, some past the clip. Padding holds rubbish.
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

// CISPO and VESPO weigh by a ratio without gradient, KL-Cov and Clip-Cov choose places by the log-probs: there the
// finite difference is taken of the loss with that part held, which is what their definition says.
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

// On policy all ratios are 1, so nothing is cut, and every loss pulls along A: - A times the token's weight.
TEST_P(EveryLoss, OnPolicyHasThePolicyGradient) {
  auto c = group();
  c.old_log_prob = c.log_prob.detach();
  auto o = objective(GetParam());
  o.kl = 0;
  o.clip_cov.low = 100;  // no place is eligible
  const auto result = group_loss(c, o, step_length, {}, at::zeros({3, 4}, at::kDouble));
  EXPECT_EQ(clipping(c, result.ratio, o).furthest, 0.0);
  result.value.backward();
  const auto sign = c.log_prob.grad() * c.advantage;
  if (o.loss == "kl_cov") return;  // |log r| has no gradient at 0; the sign is checked by the others
  EXPECT_EQ(sign.gt(0).sum().item<int64_t>(), 0);
  EXPECT_EQ(sign.lt(0).sum().item<int64_t>(), 9);
}

INSTANTIATE_TEST_SUITE_P(Objective, EveryLoss, testing::ValuesIn(loss_names()),
                         [](const auto& name) { return name.param; });

// CISPO's and VESPO's gradient: - weight A for each token, with the weight as their tests have it.
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

// What a step is worth does not depend on which groups are looked at together.
TEST(Objective, AddsUpOverGroups) {
  const auto c = group();
  for (const auto& name : loss_names()) {
    if (name == "clip_cov" || name == "kl_cov") continue;  // they choose among the tokens they are shown
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

// Of nine tokens five have an entropy of .65 or more; the others have no gradient.
TEST(Objective, CanLearnFromHighEntropyAlone) {
  const auto c = group();
  auto o = objective("dapo");
  o.kl = 0;
  o.only_high_entropy = true;
  o.clip = {10, 10, 0, 0};
  group_loss(c, o, step_length).value.backward();
  EXPECT_EQ(c.log_prob.grad().count_nonzero().item<int64_t>(), 6);
}

// k3 times the ratio has the gradient of the KL off policy; without it the value is k3 alone.
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
  EXPECT_EQ(cut.places, 3);
  EXPECT_EQ(cut.low, 0);  // the ratio .5 has A > 0: it still pulls
  EXPECT_EQ(cut.high, 1);
  EXPECT_NEAR(cut.furthest, 0.5, 1e-5);
}

TEST(Objective, KnowsItsLossesByName) {
  EXPECT_EQ(loss_names().size(), 11u);
  EXPECT_THROW(value(group(), objective("gpro")), c10::Error);
}

}  // namespace
}  // namespace compeer::grpo
