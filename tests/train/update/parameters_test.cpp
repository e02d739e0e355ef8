#include "train/update/parameters.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "learning_groups.h"
#include "train/update/optimizer.h"

namespace compeer::train {
namespace {

TEST(Parameters, AreViewsOfOneArray) {
  Seven model;
  Parameters parameters(model);
  ASSERT_EQ(parameters.size(), 7);
  EXPECT_EQ(parameters.weights()[2], 0.9f);
  parameters.weights()[2] = 4;
  EXPECT_EQ(model.logits[2].item<float>(), 4);
}

TEST(Parameters, SayWhichElementsOfAGradientAreComplete) {
  Seven model;
  Parameters parameters(model);
  std::vector<float> gradient(7, 9.0f);
  std::vector<comm::ElementRange> ready;
  parameters.differentiate(model.logits.sum(), gradient, [&](comm::ElementRange share) { ready.push_back(share); });
  EXPECT_EQ(gradient, std::vector<float>(7, 1.0f));
  ASSERT_EQ(ready.size(), 1u);
  EXPECT_EQ(ready[0].first, 0);
  EXPECT_EQ(ready[0].count, 7);
}

TEST(Parameters, RefuseAGradientThatGoesOnAfterItWasSaidToBeComplete) {
  Seven model;
  Parameters parameters(model);
  std::vector<float> gradient(7);
  const auto twice = [&] {
    parameters.begin_last_pass([](comm::ElementRange) {});
    model.logits.sum().backward();
    model.logits.sum().backward();
  };
  try {
    parameters.collect(gradient, {}, twice);
    ADD_FAILURE() << "nothing thrown";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "logits: receives its gradient in several passes, but 'overlap' requires a single one\n  help: set "
                 "overlap = \"never\"");
    EXPECT_EQ(e.exit(), Exit::plugin);
  }
  parameters.differentiate(model.logits.sum(), gradient);
  EXPECT_EQ(gradient, std::vector<float>(7, 1.0f));
}

TEST(Parameters, RefuseWeightsThatDoNotTrain) {
  Seven model;
  model.logits.set_requires_grad(false);
  try {
    const Parameters parameters(model);
    ADD_FAILURE() << "nothing thrown";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "model: has no trainable weights\n  help: remove model.frozen, or train an adapter (model.adapter)");
    EXPECT_EQ(e.exit(), Exit::spec);
  }
}

spec::OptimizerTable settings(const std::string& schedule = "constant", int64_t warmup = 0, double max_norm = 0.0) {
  return {.max_grad_norm = max_norm, .schedule = schedule, .warmup = warmup};
}

// In the first step m / (1 - b1) = g and v / (1 - b2) = g^2: each weight moves by lr against the gradient's sign.
TEST(Optimizer, MovesByTheLearningRateAtFirst) {
  Optimizer optimizer(settings(), 0.1, 10, 2);
  std::vector<float> weights{1.0f, 1.0f};
  const std::vector<float> gradient{0.5f, -2.0f};
  const auto update = optimizer.step(gradient, std::sqrt(4.25), weights);
  EXPECT_NEAR(weights[0], 0.9f, 1e-6);
  EXPECT_NEAR(weights[1], 1.1f, 1e-6);
  EXPECT_NEAR(update.gradient_norm, std::sqrt(4.25), 1e-6);
}

TEST(Optimizer, ClipsByTheGlobalNorm) {  // norm 5 -> 1: gradient .6, .8; the second step shows m
  Optimizer clipped(settings("constant", 0, 1.0), 0.1, 10, 2), plain(settings(), 0.1, 10, 2);
  std::vector<float> a{0, 0}, b{0, 0};
  clipped.step(std::vector<float>{3, 4}, 5, a);
  plain.step(std::vector<float>{0.6f, 0.8f}, 1, b);
  clipped.step(std::vector<float>{0.1f, 0.1f}, 0.14, a);
  plain.step(std::vector<float>{0.1f, 0.1f}, 0.14, b);
  EXPECT_NEAR(a[0], b[0], 1e-6);
  EXPECT_NEAR(a[1], b[1], 1e-6);
}

TEST(Optimizer, WarmsUpThenFollowsItsSchedule) {
  const Optimizer constant(settings("constant", 4), 1.0, 10, 1), line(settings("linear", 4), 1.0, 14, 1),
      cosine(settings("cosine"), 1.0, 10, 1);
  EXPECT_DOUBLE_EQ(constant.rate(1), 0.25);
  EXPECT_DOUBLE_EQ(constant.rate(4), 1.0);
  EXPECT_DOUBLE_EQ(constant.rate(9), 1.0);
  EXPECT_DOUBLE_EQ(line.rate(5), 1.0);
  EXPECT_DOUBLE_EQ(line.rate(10), 0.5);
  EXPECT_DOUBLE_EQ(cosine.rate(1), 1.0);
  EXPECT_NEAR(cosine.rate(6), 0.5, 1e-12);  // half way: cos(pi / 2)
}

TEST(Optimizer, GoesOnFromItsStateAsIfNothingHappened) {
  Optimizer first(settings("linear"), 0.1, 10, 2), second(settings("linear"), 0.1, 10, 2);
  std::vector<float> weights{1, 2};
  first.step(std::vector<float>{0.3f, -0.2f}, 0.36, weights);
  second.mean() = first.mean(), second.mean_square() = first.mean_square(), second.updates() = first.updates();
  auto other = weights;
  first.step(std::vector<float>{-0.1f, 0.7f}, 0.71, weights);
  second.step(std::vector<float>{-0.1f, 0.7f}, 0.71, other);
  EXPECT_EQ(weights, other);
}

}  // namespace
}  // namespace compeer::train
