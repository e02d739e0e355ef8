#include "grpo/losses.h"

#include <cmath>

#include "cases.h"
#include "grpo/objective.h"

namespace compeer::grpo {
namespace {

const double two = std::log(2.0);

// Two completions of three tokens and of two: ratios 2, 1/2, 2 and 1/2, 1/2. Padding holds rubbish.
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
// sum is -2.2. The second is cut, so it has no gradient; of the first each token has -A r / G = 1 * 2 / 2.
TEST(Ratio, AsAProductGivesTheObjectiveAsPrinted) {
  const auto c = two_completions();
  const auto result = group_loss(c, as_printed(), {{2, 5, 8}, 0, 5});
  EXPECT_NEAR(result.value.item<double>(), 2.2, 1e-12);
  result.value.backward();
  expect_near(c.log_prob.grad(), {1, 1, 1, 0, 0, 0}, 1e-12);
  const auto cut = clipping(c, result.ratio, as_printed());
  EXPECT_EQ(cut.places, 2);
  EXPECT_EQ(cut.low, 1);
  EXPECT_EQ(cut.high, 0);
  EXPECT_NEAR(cut.furthest, 1, 1e-12);
}

// On policy each token of a completion has -A / G, whatever its length; by tokens and by their mean it is -A / G /
// length.
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

// Held against finite differences with every average and gate that has a ratio.
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

// 2000 tokens that each became 1.5 times as likely: the product is 10 to the 352. A = -1 is not cut by the clip.
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

}  // namespace
}  // namespace compeer::grpo
