#include "train/update/policy_pass.h"

#include <algorithm>

#include "../small_model.h"
#include "learning_groups.h"

namespace compeer::train {
namespace {

// Two tokens of the prompt, two and one of the completions, whose last token needs no row: 5.
TEST_F(SmallModel, IsDifferentiatedInPartsAboveSoManyTokens) {
  const auto batch = group_batch(group_of_two(0));
  EXPECT_FALSE(ModelPass(model, policy, 1.0, 5).needs_parts(batch));
  EXPECT_TRUE(ModelPass(model, policy, 1.0, 4).needs_parts(batch));
  EXPECT_FALSE(ModelPass(model, policy, 1.0).needs_parts(batch));
}

TEST_F(SmallModel, HasTheSameGradientAsAWholeAndInParts) {
  const auto prompt = group_of_two(0);
  LearningGroup group(prompt, false);
  group.rewards = {1, 3};
  group.advantages = {-1, 1};
  Parameters parameters(model.object());
  policy.parameters_changed();
  ModelPass whole(model, policy, 0.7), parts(model, policy, 0.7, 1);
  const UpdateGoal goal{{}, {{2, 5, 8}, 0, 5}, {}};
  std::vector<float> one(static_cast<size_t>(parameters.size())), other(one);
  const auto stats = learn(whole, parameters, group, goal, {one});
  EXPECT_EQ(learn(parts, parameters, group, goal, {other}).sum, stats.sum);
  EXPECT_EQ(one, other);
  EXPECT_TRUE(std::any_of(one.begin(), one.end(), [](float g) { return g != 0; }));
}

TEST(PolicyPass, IsDifferentiatedAsAWholeUnlessItSaysOtherwise) {
  Seven model;
  const auto batch = group_batch(group_of_two(0));
  EXPECT_FALSE(model.needs_parts(batch));
  EXPECT_THROW(model.backward_in_parts(batch, {}, {}, nullptr), c10::Error);
}

}  // namespace
}  // namespace compeer::train
