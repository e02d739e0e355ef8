// A model on a device that is not the host gives the same results as on the CPU with the same engine.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "device/emulated_device.h"
#include "device/models.h"
#include "train/update/learning.h"
#include "train/update/optimizer.h"

namespace compeer {
namespace {

using nlohmann::json;

class OnADevice : public OnTheCpuWithoutItsOwnAttention,
                  public testing::WithParamInterface<std::pair<const char*, const char*>> {
 protected:
  static std::unique_ptr<plugin::Plugin<Model>> opened(const json& more = json::object()) {
    return open_model(GetParam().first, GetParam().second, more);
  }
  static json device() {
    emulated::device();
    return {{"device", "emulated"}};
  }
};

TEST_P(OnADevice, SaysAndScoresWhatItDoesOnTheCpu) {
  const auto here = opened(), there = opened(device());
  rollout::Policy cpu(here->object()), other(there->object());
  EXPECT_EQ(other.head.value().device(), emulated::device());
  const auto expected = rollout::generate(cpu, some_prompts(), some_request()),
             got = rollout::generate(other, some_prompts(), some_request());
  for (size_t i = 0; i < got.size(); ++i) {
    for (size_t k = 0; k < got[i].size(); ++k) {
      EXPECT_EQ(got[i][k].tokens, expected[i][k].tokens);
      for (size_t t = 0; t < got[i][k].log_probs.size(); ++t)  // host: float32; device: double precision
        EXPECT_NEAR(got[i][k].log_probs[t], expected[i][k].log_probs[t], 1e-5);
    }
  }
  EXPECT_EQ(rollout::Engine(other).score(some_prompts()), rollout::Engine(cpu).score(some_prompts()));
}

// With `precision = "bfloat16"` all weights, not only the embedding and the head, are rounded and take half the memory.
TEST_P(OnADevice, KeepsWeightsInBfloat16AsTheExactEngineDoes) {
  const json kept{{"precision", "bfloat16"}};
  json exact = kept, there = device();
  exact["engine"] = "exact";
  there.update(kept);
  const auto expected = opened(exact), got = opened(there);
  for (const Parameter& p : got->object().parameters())
    EXPECT_EQ(p.value.scalar_type(), p.value.dim() > 1 ? at::kBFloat16 : at::kFloat) << p.name;
  rollout::Policy cpu(expected->object()), other(got->object());
  const auto scores = rollout::Engine(cpu).score(some_prompts()), others = rollout::Engine(other).score(some_prompts());
  for (size_t i = 0; i < scores.size(); ++i) {
    for (size_t k = 0; k < scores[i].size(); ++k) EXPECT_NEAR(others[i][k], scores[i][k], 1e-5) << i << ' ' << k;
  }
}

TEST_P(OnADevice, HasTheGradientsOfTheCpu) {
  const auto gradients = [](Model& model) {
    const auto hidden = model.forward(
        {at::tensor({3, 1, 4, 1, 5, 9}, at::kLong), {Segment{0, 4, 0, -1, {}}, Segment{4, 2, 4, 0, {}}}}, nullptr);
    EXPECT_TRUE(hidden.is_cpu());
    hidden.square().sum().backward();
    std::vector<at::Tensor> all;
    for (const Parameter& p : model.parameters()) {
      if (p.value.grad().defined()) all.push_back(p.value.grad().cpu());
    }
    return all;
  };
  const json trains{{"frozen", false}, {"precision", "float32"}};
  json there = device();
  there.update(trains);
  const auto expected = gradients(opened(trains)->object()), got = gradients(opened(there)->object());
  ASSERT_GT(expected.size(), 10u);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(at::equal(got[i], expected[i])) << i;
}

INSTANTIATE_TEST_SUITE_P(Families, OnADevice,
                         testing::Values(std::pair("llama", "llama"), std::pair("qwen3", "qwen3"),
                                         std::pair("mistral", "mistral")),
                         [](const auto& one) { return std::string(one.param.second); });

// The number of kernel launches per token does not depend on the number of sequences, and the host waits only for
// hidden states and logits.
TEST(ADevice, DoesAsMuchForManySequencesAsForOne) {
  emulated::device();
  const auto model = open_model("llama", "llama", {{"device", "emulated"}});
  rollout::Policy policy(model->object());
  const auto done = [&](int64_t sequences, int64_t tokens) {
    rollout::Engine engine(policy);
    auto request = some_request();
    request.group_size = request.sampling.concurrent = sequences;
    request.sampling.max_new_tokens = tokens;
    emulated::forget();
    engine.generate({{0, {3, 1, 4}}}, request);
    return emulated::counts();
  };
  std::vector<int64_t> launches;
  for (const int64_t sequences : {1, 16}) {
    const auto before = done(sequences, 6), after = done(sequences, 7);
    EXPECT_EQ(after.waits - before.waits, 2);
    launches.push_back(after.launches - before.launches);
  }
  EXPECT_EQ(launches[0], launches[1]);
  EXPECT_LE(launches[0], 250);  // for two layers
}

// If memory runs out anywhere, the error says so, and the next call works.
TEST(ADevice, GoesOnAfterItsMemoryRanOut) {
  emulated::device();
  const auto model = open_model("llama", "llama", {{"device", "emulated"}});
  rollout::Policy policy(model->object());
  auto request = some_request();
  request.sampling.max_new_tokens = 3;
  const auto expected = rollout::generate(policy, some_prompts(), request);
  int64_t failed = 0;
  for (int64_t which = 1;; which += 1 + which / 8) {
    rollout::Engine engine(policy);
    emulated::fail_allocation(which);
    try {
      engine.generate(some_prompts(), request);
      break;
    } catch (const Error& error) {
      EXPECT_EQ(error.where(), "inference");
      EXPECT_NE(error.problem().find("the emulated device is out of memory"), std::string::npos);
      EXPECT_NE(error.help().find("lower sampling.concurrent"), std::string::npos);
      EXPECT_EQ(error.exit(), Exit::failure);
      ++failed;
    }
    const auto again = engine.generate(some_prompts(), request);
    for (size_t i = 0; i < again.size(); ++i) EXPECT_EQ(again[i][0].log_probs, expected[i][0].log_probs) << which;
    EXPECT_EQ(engine.pages().in_use(), 0);
  }
  emulated::fail_allocation(0);
  EXPECT_GT(failed, 20);
}

TEST(ADevice, IsNothingForTheExactEngine) {
  emulated::device();
  try {
    open_model("llama", "llama", {{"engine", "exact"}, {"device", "emulated"}});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what())
                  .find("model.engine: 'exact' supports only the CPU\n"
                        "  help: set it to 'libtorch'"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace compeer

namespace compeer::train {
namespace {

// GRPO on a device that is not the host: the host computes sums, master weights and AdamW, so results have the same
// bits.

using nlohmann::json;

// Returns the weights after three steps of two groups each.
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
      const UpdateContext goal{{}, {{3, 60, 20}, 0, 60}, {}};
      accumulate_gradient(pass, parameters, group, goal, {gradient, i > 0});
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
