// GRPO on another device than the host: sums, masters and AdamW are the host's, and so are the bits.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "device/emulated_device.h"
#include "device/models.h"
#include "train/update/learning.h"
#include "train/update/optimizer.h"

namespace compeer::train {
namespace {

using nlohmann::json;

// The weights after three steps on two groups each.
std::vector<float> learnt(const json& more, const std::vector<std::vector<rollout::Sample>>& samples) {
  auto model = open_model("llama", "llama", more);
  rollout::Policy policy(model->object());
  Parameters parameters(model->object());
  Optimizer optimizer({.beta2 = 0.99, .weight_decay = 0.01}, 1e-3, 3, parameters.size());
  ModelPass pass(*model, policy, 1.0);
  std::vector<float> gradient(static_cast<size_t>(parameters.size()));
  for (uint32_t step = 0; step < 3; ++step) {
    const auto asked = some_prompts();
    for (size_t i = 0; i < 2; ++i) {
      PromptGroup prompt;
      prompt.index = static_cast<int64_t>(i);
      prompt.prompt = asked[i + 1].tokens;
      prompt.samples = samples[i + 1];
      LearningGroup group(prompt, false);
      group.rewards = {1, 0, 2};
      group.advantages = {0.1, -1.2, 1.1};
      const UpdateGoal goal{{}, {{3, 60, 20}, 0, 60}, {}};
      learn(pass, parameters, group, goal, {gradient, i > 0});
    }
    optimizer.step(gradient, norm_of(gradient), parameters.weights());
    parameters.weights_changed();
    policy.parameters_changed();
  }
  const auto weights = parameters.weights();
  return {weights.begin(), weights.end()};
}

TEST_F(OnTheCpuWithoutItsOwnAttention, ADeviceLearnsWhatTheCpuDoes) {
  emulated::device();
  const json trains{{"frozen", false}, {"precision", "float32"}};
  json there = trains;
  there["device"] = "emulated";
  auto sampler = open_model("llama", "llama", there);
  rollout::Policy said(sampler->object());
  const auto samples = rollout::generate(said, some_prompts(), some_request());
  const auto before = learnt(trains, samples), expected = learnt(trains, samples), got = learnt(there, samples);
  EXPECT_EQ(before, expected);
  EXPECT_EQ(got, expected);
}

}  // namespace
}  // namespace compeer::train
