#include "train/update/learning.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>

#include "learning_groups.h"
#include "made_settings.h"

namespace compeer::train {
namespace {

TEST(LearningGroup, LeavesOutWhatWasCutOff) {
  const auto group = group_of_two(0);
  EXPECT_EQ(LearningGroup(group, false).unmasked_tokens(), (std::vector<double>{3, 2}));
  EXPECT_EQ(LearningGroup(group, true).unmasked_tokens(), (std::vector<double>{3, 0}));
}

TEST(SampledKl, IsSummedOverTheTokensOfACompletion) {
  const auto group = group_of_two(0);
  LearningGroup learning(group, false);
  learning.reference = at::tensor(std::vector<float>{-1.5f, -1.0f, -0.5f, -2.0f, -1.0f});
  grpo::Objective objective;
  objective.estimator = grpo::Estimator::k1;
  EXPECT_EQ(sampled_kl(learning, objective), (std::vector<double>{0, 1}));
}

// The objective is differentiated by log-probs and entropies first; the result is the same as in one pass.
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
  const auto stats = accumulate_gradient(model, parameters, group, {objective, step, {}}, {gradient});

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
  const auto stats = accumulate_gradient(model, parameters, group, {{}, {{2, 5, 8}, 0, 5}, {}}, {gradient});
  EXPECT_EQ(stats.ratio_distance, 0);
  EXPECT_EQ(stats.rollout_difference, 0);
  EXPECT_EQ(stats.sum[UpdateStats::loss], 0);
  EXPECT_EQ(stats.sum[UpdateStats::surrogate], 4);
  EXPECT_EQ(stats.sum[UpdateStats::ratios], 5);
}

// With `add` the second group's gradient is added to the first's; without `add` it replaces it.
TEST(Learn, AddsGradientsUpWhereItIsToldTo) {
  Seven model;
  Parameters parameters(model);
  const auto prompt = group_of_two(0);
  LearningGroup group(prompt, false);
  group.rewards = {1, 3};
  group.advantages = {-1, 1};
  const UpdateContext goal{{}, {{2, 5, 8}, 0, 5}, {}};
  std::vector<float> once(7), twice(7);
  accumulate_gradient(model, parameters, group, goal, {once});
  accumulate_gradient(model, parameters, group, goal, {twice});
  accumulate_gradient(model, parameters, group, goal, {twice, true});
  for (size_t i = 0; i < 7; ++i) EXPECT_FLOAT_EQ(twice[i], 2 * once[i]) << i;
  accumulate_gradient(model, parameters, group, goal, {twice});
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

class TotalsOfTwoGroups : public testing::Test {
 protected:
  StepTotals totals(const GrpoSettings& s) {
    std::vector<LearningGroup> mine;
    for (const auto& group : groups) mine.emplace_back(group, s.mask_truncated);
    return totals_over_ranks(world, mine, s);
  }
  comm::World world;
  Groups groups{group_of_two(0), group_of_two(1)};
};

TEST_F(TotalsOfTwoGroups, CountTheTokensOfAllGroups) {
  auto s = made_settings();
  EXPECT_EQ(totals(s).step.size.tokens, 10);
  EXPECT_EQ(totals(s).step.size.completions, 4);
  EXPECT_EQ(totals(s).step.size.max_new_tokens, static_cast<double>(s.sampling.max_new_tokens));
  EXPECT_EQ(totals(s).step.bonus_tokens, 10);
  EXPECT_EQ(totals(s).unmasked_completions, 4);
}

TEST_F(TotalsOfTwoGroups, LeaveOutTokensOfCompletionsThatWereCutOff) {
  auto s = made_settings();
  s.mask_truncated = true;
  EXPECT_EQ(totals(s).step.size.tokens, 6);
  EXPECT_EQ(totals(s).step.size.completions, 4);
  EXPECT_EQ(totals(s).unmasked_completions, 2);
}

// Twice .1 .2 .4 .6 .8: four of ten tokens have an entropy of .6 or more.
TEST_F(TotalsOfTwoGroups, FindTheEntropyThresholdOverTheStep) {
  auto s = made_settings();
  s.objective.only_high_entropy = true;
  s.high_entropy_share = 0.4;
  const auto step = totals(s).step;
  EXPECT_EQ(step.bonus_tokens, 4);
  EXPECT_GT(step.entropy_threshold, 0.4);
  EXPECT_LE(step.entropy_threshold, static_cast<double>(0.6f));
}

TEST(FromAllRanks, IsOnesOwnNumbersInAWorldOfOne) {
  comm::World world;
  EXPECT_EQ(from_all_ranks(world, {3, 1, 2}), (std::vector<double>{3, 1, 2}));
  EXPECT_TRUE(from_all_ranks(world, {}).empty());
}

// Two groups of two completions. The second reward is the first times -10.
class AdvantagesOfTwoGroups : public testing::Test {
 protected:
  AdvantagesOfTwoGroups() {
    const auto rewards = at::tensor({1.0, 3.0, 2.0, 2.0}, at::kDouble).view({2, 2});
    mine.set("learned", rewards);
    mine.set("shaped/one", rewards.clone());
    mine.set("shaped/ten", rewards * -10);
  }
  // Returns the advantages of each completion, by group.
  std::vector<std::vector<double>> advantages(const GrpoSettings& settings) {
    BatchColumns found(2, 2);
    found.set("advantage", advantages_over_ranks(world, mine, settings, {"shaped/one", "shaped/ten"}));
    return {std::as_const(found).row("advantage", 0), std::as_const(found).row("advantage", 1)};
  }
  comm::World world;
  BatchColumns mine{2, 2};
};

// Rewards 1 and 3: mean 2, deviation sqrt(2).
TEST_F(AdvantagesOfTwoGroups, AreThoseOfEquation3) {
  auto s = made_settings();
  s.rule.epsilon = 0;
  const auto a = advantages(s);
  EXPECT_NEAR(a[0][0], -1 / std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(a[0][1], 1 / std::sqrt(2.0), 1e-12);
  EXPECT_EQ(a[1], (std::vector<double>{0, 0}));
}

// Rewards 1 3 2 2: variance (1 + 1) / 3.
TEST_F(AdvantagesOfTwoGroups, CanBeDividedByTheDeviationOfTheBatch) {
  auto s = made_settings();
  s.rule.divisor = grpo::Divisor::batch;
  s.rule.epsilon = 0;
  const auto a = advantages(s);
  EXPECT_NEAR(a[0][1], 1 / std::sqrt(2.0 / 3.0), 1e-12);
  EXPECT_EQ(a[1], (std::vector<double>{0, 0}));
}

// With its weight of 0.1 the second reward cancels the first in the sum, but normalized separately each has an effect.
TEST_F(AdvantagesOfTwoGroups, CanNormaliseEachRewardByItself) {
  auto s = made_settings();
  s.gdpo = true;
  EXPECT_GT(std::abs(advantages(s)[0][0]), 0.5);
  s.rule.max = 0.25;
  EXPECT_EQ(advantages(s)[0][1], 0.25);
}

TEST_F(AdvantagesOfTwoGroups, AreZeroWithoutAReward) {
  mine.row("learned", 0)[0] = std::nan("");
  EXPECT_EQ(advantages(made_settings())[0], (std::vector<double>{0, 0}));
}

TEST(OneThread, IsAllThatTensorOperationsHaveWhileItLives) {
  at::set_num_threads(2);
  {
    const OneThread one_thread;
    EXPECT_EQ(at::get_num_threads(), 1);
  }
  EXPECT_EQ(at::get_num_threads(), 2);
}

}  // namespace
}  // namespace compeer::train
