#include "train/sequences.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include "plugin/host.h"
#include "plugin/open.h"
#include "train/learning.h"

namespace compeer::train {
namespace {

std::vector<int64_t> list(const at::Tensor& t) {
  const auto* values = t.const_data_ptr<int64_t>();
  return {values, values + t.numel()};
}

// Prompt 5 6 7; completions "8 9" and "4": rows 0-2 the prompt, row 3 the token 8. The last token of each needs no row.
TEST(GroupBatch, HangsCompletionsOffThePrompt) {
  ScoredGroup group;
  group.prompt = {5, 6, 7};
  group.samples = {{{8, 9}, {-0.5f, -0.25f}, {}, true}, {{4}, {-1.0f}, {}, true}};
  const auto batch = group_batch(group);
  EXPECT_EQ(list(batch.batch.tokens), (std::vector<int64_t>{5, 6, 7, 8}));
  ASSERT_EQ(batch.batch.segments.size(), 2u);  // a completion of one token has none
  EXPECT_EQ(batch.batch.segments[1].start, 3);
  EXPECT_EQ(batch.batch.segments[1].length, 1);
  EXPECT_EQ(batch.batch.segments[1].position, 3);
  EXPECT_EQ(batch.batch.segments[1].parent, 0);
  EXPECT_EQ(list(batch.rows), (std::vector<int64_t>{2, 3, 2}));  // 8 and 4 are predicted by the prompt's last row
  EXPECT_EQ(list(batch.targets), (std::vector<int64_t>{8, 9, 4}));
  EXPECT_EQ(batch.lengths, (std::vector<int64_t>{2, 1}));
  EXPECT_TRUE(at::equal(batch.sampled_log_probs, at::tensor({-0.5f, -0.25f, -1.0f})));
}

// A small model, fresh from a seed.
class SmallModel : public testing::Test {
 protected:
  static plugin::Plugin<Model> open() {
    const plugin::Chosen chosen{"models", "qwen2", COMPEER_BINARY_DIR "/plugins/models/qwen2.so", ""};
    static plugin::Services services;
    services.seed = 3;
    const nlohmann::json config{{"vocab_size", 40},
                                {"hidden_size", 32},
                                {"num_hidden_layers", 2},
                                {"num_attention_heads", 4},
                                {"num_key_value_heads", 2},
                                {"intermediate_size", 48},
                                {"max_position_embeddings", 64}};
    const nlohmann::json settings{{"path", nullptr},        {"config", config},  {"frozen", false},
                                  {"precision", "float32"}, {"engine", "exact"}, {"recompute_above", nullptr}};
    return plugin::open<Model>(chosen, Settings(settings), std::make_unique<plugin::RunHost>(chosen, services));
  }

  // Gradients of the sum of a * log-prob, each tensor flat.
  at::Tensor gradient(const at::Tensor& log_prob, const std::vector<float>& a) {
    for (Parameter& p : model.object().parameters()) p.value.mutable_grad() = at::Tensor();
    (log_prob * at::tensor(a)).sum().backward();
    std::vector<at::Tensor> all;
    for (const Parameter& p : model.object().parameters()) all.push_back(p.value.grad().flatten());
    return at::cat(all);
  }

  plugin::Plugin<Model> model = open();
  rollout::Policy policy{model.object()};
};

// What a token is given does not depend on the lessons it is learned with; tokens before `first` have no say.
TEST_F(SmallModel, GivesALessonTheSameAmongOthers) {
  const at::NoGradGuard no_grad;
  const std::vector<Lesson> lessons{{{1, 2, 3, 4, 5}, 1}, {{6, 7}, 1}, {{8, 9, 10, 11, 12, 13, 14}, 4}};
  std::vector<at::Tensor> alone;
  for (const Lesson& lesson : lessons) alone.push_back(log_probs(policy, {&lesson, 1}));
  EXPECT_EQ(alone[0].numel(), 4);
  EXPECT_EQ(alone[1].numel(), 1);
  EXPECT_EQ(alone[2].numel(), 3);
  EXPECT_TRUE(at::equal(log_probs(policy, lessons), at::cat(alone)));
}

// The prompt is computed once for its group, forward and backward. That changes no log-prob, and gradients by rounding
// only.
TEST_F(SmallModel, LearnsFromASharedPromptWhatItLearnsFromCopies) {
  ScoredGroup group;
  group.prompt = {5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};
  const std::vector<std::vector<int32_t>> completions{{20, 21, 22, 23}, {24}, {20, 25, 26, 27, 28, 29, 30}, {31, 32}};
  std::vector<Lesson> copies;
  std::vector<float> a;
  for (const auto& tokens : completions) {
    rollout::Sample sample;
    sample.tokens = tokens;
    sample.log_probs.assign(tokens.size(), 0.0f);
    group.samples.push_back(sample);
    copies.push_back({group.prompt, static_cast<int64_t>(group.prompt.size())});
    copies.back().tokens.insert(copies.back().tokens.end(), tokens.begin(), tokens.end());
    for (size_t i = 0; i < tokens.size(); ++i) a.push_back(0.3f * static_cast<float>(a.size() % 5) - 0.5f);
  }
  const auto shared = log_probs(policy, group_batch(group), 1.0).log_prob, unshared = log_probs(policy, copies);
  EXPECT_TRUE(at::equal(shared, unshared));
  const auto once = gradient(shared, a), many = gradient(unshared, a);
  EXPECT_LE((once - many).norm().item<double>(), 1e-6 * many.norm().item<double>());
}

}  // namespace
}  // namespace compeer::train
