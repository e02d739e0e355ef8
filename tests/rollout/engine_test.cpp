#include "rollout/engine.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include "plugin/host.h"
#include "plugin/open.h"

namespace compeer::rollout {
namespace {

// A fresh model of the qwen2 plugin, small enough for tests and with weights large enough to be unsure of itself.
class Engine : public testing::Test {
 protected:
  Engine() {
    const nlohmann::json config{{"vocab_size", 90},
                                {"hidden_size", 32},
                                {"num_hidden_layers", 2},
                                {"num_attention_heads", 4},
                                {"num_key_value_heads", 2},
                                {"intermediate_size", 48},
                                {"max_position_embeddings", 64},
                                {"rope_theta", 10000.0},
                                {"rms_norm_eps", 1e-6},
                                {"tie_word_embeddings", true}};
    const plugin::Chosen chosen{"models", "qwen2", COMPEER_BINARY_DIR "/plugins/models/qwen2.so", ""};
    services.seed = 11;
    model = std::make_unique<plugin::Plugin<Model>>(
        plugin::open<Model>(chosen, Settings({{"path", nullptr}, {"config", config}}),
                            std::make_unique<plugin::RunHost>(chosen, services)));
    for (auto& p : model->object().parameters()) p.value.detach().mul_(p.value.dim() == 2 ? 4.0 : 1.0);
    model->object().parameters_changed();
    policy = std::make_unique<Policy>(model->object());
  }

  std::vector<std::vector<Sample>> run(const std::vector<Prompt>& asked, int64_t group_size, int64_t concurrent = 64) {
    Request request;
    request.sampling.max_new_tokens = 20;
    request.sampling.concurrent = concurrent;
    request.group_size = group_size;
    request.end_token = 7;
    request.seed = 5;
    return generate(*policy, asked, request);
  }

  // What the trainer computes for a prompt and one completion.
  at::Tensor trainer_log_probs(const std::vector<int32_t>& prompt, const Sample& sample) {
    const at::NoGradGuard no_grad;
    auto all = prompt;
    all.insert(all.end(), sample.tokens.begin(), sample.tokens.end());
    const auto n = static_cast<int64_t>(all.size()), start = static_cast<int64_t>(prompt.size());
    const auto tokens = at::tensor(std::vector<int64_t>(all.begin(), all.end()));
    const auto hidden = model->object().forward({tokens, {Segment{0, n, 0, -1, {}}}}, nullptr);
    return kernels::token_logprobs(hidden.slice(0, start - 1, n - 1).contiguous(), policy->head,
                                   tokens.slice(0, start, n).contiguous(), 1.0)
        .log_prob;
  }

  static bool same(const Sample& a, const Sample& b) { return a.tokens == b.tokens && a.log_probs == b.log_probs; }

  plugin::Services services;
  std::unique_ptr<plugin::Plugin<Model>> model;
  std::unique_ptr<Policy> policy;
  const std::vector<Prompt> prompts{{0, {3, 1, 4}}, {1, std::vector<int32_t>(16, 9)}, {2, std::vector<int32_t>(33, 2)}};
};

TEST_F(Engine, RecordsTheLogProbsThatTheTrainerComputes) {
  const auto groups = run(prompts, 3);
  for (size_t g = 0; g < prompts.size(); ++g) {
    for (const Sample& sample : groups[g]) {
      const auto trainer = trainer_log_probs(prompts[g].tokens, sample);
      for (size_t i = 0; i < sample.tokens.size(); ++i) {
        ASSERT_EQ(trainer[static_cast<int64_t>(i)].item<float>(), sample.log_probs[i])
            << "group " << g << " token " << i;
      }
    }
  }
}

TEST_F(Engine, GivesACompletionThatDoesNotDependOnItsCompany) {
  const auto together = run(prompts, 3);
  for (size_t g = 0; g < prompts.size(); ++g) {
    const auto alone = run({prompts[g]}, 3, 1);
    for (size_t c = 0; c < 3; ++c) EXPECT_TRUE(same(alone[0][c], together[g][c])) << g << " " << c;
    EXPECT_TRUE(same(run({prompts[g]}, 1)[0][0], together[g][0]));
  }
}

TEST_F(Engine, DrawsDifferentCompletionsOfOnePrompt) {
  const auto group = run({prompts[0]}, 4)[0];
  for (size_t c = 1; c < 4; ++c) EXPECT_NE(group[c].tokens, group[0].tokens);
}

TEST_F(Engine, StopsAtTheEndTokenOrAtTheLimit) {
  int finished = 0, cut = 0;
  for (const auto& group : run(prompts, 8)) {
    for (const Sample& sample : group) {
      EXPECT_EQ(sample.finished, sample.tokens.back() == 7);
      EXPECT_EQ(std::count(sample.tokens.begin(), sample.tokens.end(), 7), sample.finished ? 1 : 0);
      EXPECT_TRUE(sample.finished || sample.tokens.size() == 20u);
      (sample.finished ? finished : cut) += 1;
    }
  }
  EXPECT_GT(finished, 0);
  EXPECT_GT(cut, 0);
}

TEST_F(Engine, NeverPassesTheModelsLastPosition) {
  const auto group = run({{0, std::vector<int32_t>(60, 1)}}, 4)[0];
  for (const Sample& sample : group) EXPECT_LE(sample.tokens.size(), 4u);
}

TEST_F(Engine, RefusesAPromptThatFillsTheModel) {
  EXPECT_THROW(run({{0, std::vector<int32_t>(64, 1)}}, 1), std::exception);
}

}  // namespace
}  // namespace compeer::rollout
