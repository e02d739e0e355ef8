#include "train/update/policy_pass.h"

#include <algorithm>

#include "../small_model.h"
#include "learning_groups.h"
#include "train/update/parameters.h"

namespace compeer::train {
namespace {

// Two tokens of the prompt, two and one of the completions (the last token of each needs no row): 5 rows.
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
  const UpdateContext goal{{}, {{2, 5, 8}, 0, 5}, {}};
  std::vector<float> one(static_cast<size_t>(parameters.size())), other(one);
  const auto stats = accumulate_gradient(whole, parameters, group, goal, {one});
  EXPECT_EQ(accumulate_gradient(parts, parameters, group, goal, {other}).sum, stats.sum);
  EXPECT_EQ(one, other);
  EXPECT_TRUE(std::any_of(one.begin(), one.end(), [](float g) { return g != 0; }));
}

TEST(PolicyPass, IsDifferentiatedAsAWholeUnlessItSaysOtherwise) {
  Seven model;
  const auto batch = group_batch(group_of_two(0));
  EXPECT_FALSE(model.needs_parts(batch));
  EXPECT_THROW(model.backward_in_parts(batch, {}, {}, nullptr), c10::Error);
}

// A prompt of 20 tokens and 14 completions of 1 to 40 tokens: more rows than a product's chunk of 256.
PromptGroup long_group() {
  PromptGroup group;
  for (int32_t i = 0; i < 20; ++i) group.prompt.push_back(i * 7 % 40);
  for (int32_t c = 0; c < 14; ++c) {
    rollout::Sample sample;
    for (int32_t i = 0; i < 1 + c * 3; ++i) sample.tokens.push_back((i * 11 + c) % 40);
    sample.log_probs.assign(sample.tokens.size(), 0.0f);
    group.samples.push_back(sample);
  }
  return group;
}

TEST_F(SmallModel, LearnsFromAGroupInPartsWithTheSameBits) {
  const auto group = group_batch(long_group());
  const int64_t targets = group.targets.numel();
  const auto a = at::sin(at::arange(targets, at::kFloat)), e = at::cos(at::arange(targets, at::kFloat));
  for (const bool tied : {true, false}) {
    for (const nlohmann::json& recompute_above : {nlohmann::json(nullptr), nlohmann::json(0)}) {
      auto own = open(tied, recompute_above);
      rollout::Policy its(own.object());
      const auto whole = gathered(own.object(), [&] {
        const auto known = log_probs(its, group, 0.7);
        ((known.log_prob * a).sum() + (known.entropy * e).sum()).backward();
      });
      for (const int64_t most : {1, 50, 100, 200, 1000}) {
        const auto parts = gathered(own.object(), [&] { backward_in_parts(its, group, 0.7, most, a, e); });
        EXPECT_TRUE(at::equal(parts, whole)) << "at most " << most << ", off by " << (parts - whole).abs().max();
      }
    }
  }
}

// Elements reported as ready have their final bits; for a whole group these are all elements, the embedding last.
TEST_F(SmallModel, SaysWhichElementsOfAGradientAreComplete) {
  const auto group = group_batch(long_group());
  const auto a = at::sin(at::arange(group.targets.numel(), at::kFloat));
  for (const bool tied : {true, false}) {
    for (const bool whole : {true, false}) {
      auto own = open(tied, 0);
      rollout::Policy its(own.object());
      Parameters parameters(own.object());
      const auto size = static_cast<size_t>(parameters.size());
      std::vector<float> gradient(size, 7.0f), seen(size);
      std::vector<int> times(size);
      int64_t told = 0, last = -1;
      const auto ready = [&](comm::ElementRange elements) {
        std::ranges::copy(comm::part(std::span(gradient), elements), seen.begin() + elements.first);
        for (int64_t i = 0; i < elements.count; ++i) ++times[static_cast<size_t>(elements.first + i)];
        told += elements.count;
        last = elements.first;
      };
      parameters.collect(gradient, {}, [&] {
        const auto last_pass = [&] { parameters.begin_last_pass(ready); };
        if (!whole) return backward_in_parts(its, group, 1.0, 50, a, {}, last_pass);
        const auto known = log_probs(its, group, 1.0);
        last_pass();
        (known.log_prob * a).sum().backward();
      });
      for (size_t i = 0; i < size; ++i) {
        ASSERT_LE(times[i], 1) << i;
        if (times[i] == 1) {
          ASSERT_EQ(seen[i], gradient[i]) << i;
        }
      }
      const int64_t head = own.object().head().numel();
      EXPECT_EQ(told, parameters.size() - (whole || tied ? 0 : head)) << "tied " << tied << ", whole " << whole;
      EXPECT_EQ(last, 0);
    }
  }
}

TEST_F(SmallModel, LearnsFromCompletionsOfOneTokenInParts) {
  PromptGroup scored;
  scored.prompt = {1, 2, 3};
  scored.samples = {{{4}, {0.0f}, {}, true}, {{5}, {0.0f}, {}, true}};
  const auto group = group_batch(scored);
  const auto a = at::tensor(std::vector<float>{0.5f, -2.0f});
  const auto whole = gradient(log_probs(policy, group, 1.0).log_prob, {0.5f, -2.0f});
  const auto parts = gathered(model.object(), [&] { backward_in_parts(policy, group, 1.0, 1, a, {}); });
  EXPECT_TRUE(at::equal(parts, whole));
}

}  // namespace
}  // namespace compeer::train
