#include "train/update/learning.h"

#include <gtest/gtest.h>

#include "learning_groups.h"

namespace compeer::train {
namespace {

TEST(LearningGroup, LeavesOutWhatWasCutOff) {
  const auto group = group_of_two(0);
  EXPECT_EQ(LearningGroup(group, false).counted(), (std::vector<double>{3, 2}));
  EXPECT_EQ(LearningGroup(group, true).counted(), (std::vector<double>{3, 0}));
}

TEST(SampledKl, IsSummedOverTheTokensOfACompletion) {
  const auto group = group_of_two(0);
  LearningGroup learning(group, false);
  learning.reference = at::tensor(std::vector<float>{-1.5f, -1.0f, -0.5f, -2.0f, -1.0f});
  grpo::Objective objective;
  objective.estimator = grpo::Estimator::k1;
  EXPECT_EQ(sampled_kl(learning, objective), (std::vector<double>{0, 1}));
}

// The objective is differentiated by log-probs and entropies first; that is the same as all at once.
TEST(Learn, GivesTheGradientOfTheObjective) {
  Seven model;
  Parameters parameters(model);
  const auto prompt = group_of_two(0);
  LearningGroup group(prompt, false);
  group.rewards = {1, 3};
  group.advantages = {-1, 1};
  group.reference = at::tensor(std::vector<float>{-1.5f, -2.0f, -2.5f, -2.0f, -1.0f});
  grpo::Objective objective;
  objective.clip = {0.9, 0.9, 0, 0};
  objective.kl = 0.1;
  objective.entropy_bonus = 0.5;
  const grpo::StepContext step{{2, 5, 8}, 0, 5};
  std::vector<float> gradient(7);
  const auto stats = learn(model, parameters, group, {objective, step, {}}, {gradient});

  model.logits.mutable_grad().reset();
  const auto now = model.forward(group.batch);
  const auto loss = grpo::group_loss(group.completions(now.log_prob, now.entropy), objective, step).value;
  loss.backward();
  EXPECT_NEAR(stats.sum[UpdateStats::loss], loss.item<double>(), 1e-6);
  const auto* expected = static_cast<const float*>(model.logits.grad().const_data_ptr());
  for (size_t i = 0; i < gradient.size(); ++i) EXPECT_NEAR(gradient[i], expected[i], 1e-6) << i;
  EXPECT_GT(std::abs(gradient[3]), 1e-3);
}

TEST(Learn, SeesRatiosOfExactlyOneAtTheFirstUpdate) {
  Seven model;
  Parameters parameters(model);
  auto prompt = group_of_two(0);
  const auto log_prob = at::log_softmax(model.logits.detach(), 0)[3].item<float>();
  for (auto& sample : prompt.samples) sample.log_probs.assign(sample.tokens.size(), log_prob);
  LearningGroup group(prompt, false);
  group.rewards = {1, 3};
  group.advantages = {-1, 1};
  std::vector<float> gradient(7);
  const auto stats = learn(model, parameters, group, {{}, {{2, 5, 8}, 0, 5}, {}}, {gradient});
  EXPECT_EQ(stats.ratio_distance, 0);
  EXPECT_EQ(stats.rollout_difference, 0);
  EXPECT_EQ(stats.sum[UpdateStats::loss], 0);
  EXPECT_EQ(stats.sum[UpdateStats::surrogate], 4);
  EXPECT_EQ(stats.sum[UpdateStats::places], 5);
}

// The second group's gradient is added to the first's; without `add` it takes its place.
TEST(Learn, AddsGradientsUpWhereItIsToldTo) {
  Seven model;
  Parameters parameters(model);
  const auto prompt = group_of_two(0);
  LearningGroup group(prompt, false);
  group.rewards = {1, 3};
  group.advantages = {-1, 1};
  const UpdateGoal goal{{}, {{2, 5, 8}, 0, 5}, {}};
  std::vector<float> once(7), twice(7);
  learn(model, parameters, group, goal, {once});
  learn(model, parameters, group, goal, {twice});
  learn(model, parameters, group, goal, {twice, true});
  for (size_t i = 0; i < 7; ++i) EXPECT_FLOAT_EQ(twice[i], 2 * once[i]) << i;
  learn(model, parameters, group, goal, {twice});
  EXPECT_EQ(twice, once);
}

TEST(UpdateStats, AddSumsAndKeepTheLargestOfTheRest) {
  UpdateStats a, b;
  a.sum[UpdateStats::loss] = 1, a.ratio_distance = 0.5, a.rollout_difference = 0;
  b.sum[UpdateStats::loss] = 2, b.ratio_distance = 0.25, b.rollout_difference = 0.125;
  a += b;
  EXPECT_EQ(a.sum[UpdateStats::loss], 3);
  EXPECT_EQ(a.ratio_distance, 0.5);
  EXPECT_EQ(a.rollout_difference, 0.125);
}

}  // namespace
}  // namespace compeer::train
