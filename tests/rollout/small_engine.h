#pragma once
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include "places.h"
#include "plugin/host.h"
#include "plugin/open.h"
#include "rollout/engine.h"

namespace compeer::rollout {

// Fixture with a randomly initialized model for tests of generation. The weights are large, so that the sampled tokens'
// distributions differ clearly.
class RolloutEngine : public testing::Test {
 protected:
  // `family`: the model plugin; `more`: further keys of the model's configuration; `compute`: data type.
  explicit RolloutEngine(const std::string& family = "qwen2", const nlohmann::json& more = nlohmann::json::object(),
                         const std::string& compute = "float32") {
    nlohmann::json config{{"vocab_size", 90},
                          {"hidden_size", 32},
                          {"num_hidden_layers", 2},
                          {"num_attention_heads", 4},
                          {"num_key_value_heads", 2},
                          {"intermediate_size", 48},
                          {"max_position_embeddings", 64},
                          {"rope_theta", 10000.0},
                          {"rms_norm_eps", 1e-6},
                          {"tie_word_embeddings", true}};
    config.update(more);
    const plugin::PluginFile chosen{"models", family, COMPEER_BINARY_DIR "/plugins/models/" + family + ".so", ""};
    services.seed = 11;
    model = std::make_unique<plugin::Plugin<Model>>(
        plugin::open<Model>(chosen,
                            Settings({{"path", nullptr},
                                      {"config", config},
                                      {"frozen", false},
                                      {"precision", "float32"},
                                      {"compute", compute},
                                      {"engine", "exact"}}),
                            std::make_unique<plugin::RunHost>(chosen, services)));
    for (auto& p : model->object().parameters()) p.value.detach().mul_(p.value.dim() == 2 ? 4.0 : 1.0);
    model->object().parameters_changed();
    policy = std::make_unique<Policy>(model->object());
  }

  // Returns a request; `group_size`: completions for each prompt; `concurrent`: maximum number of sequences at once.
  static Request request_for(int64_t group_size, int64_t concurrent) {
    Request request;
    request.sampling.max_new_tokens = 20;
    request.sampling.concurrent = concurrent;
    request.group_size = group_size;
    request.end_tokens = {7};
    request.seed = 5;
    return request;
  }

  // Generates completions: [prompt][completion].
  std::vector<std::vector<Sample>> run(const std::vector<Prompt>& asked, int64_t group_size, int64_t concurrent = 64) {
    return generate(*policy, asked, request_for(group_size, concurrent));
  }

  // Returns the log-probabilities that the trainer computes for a prompt and one completion.
  at::Tensor trainer_log_probs(const std::vector<int32_t>& prompt, const Sample& sample) {
    const at::NoGradGuard no_grad;
    auto all = prompt;
    all.insert(all.end(), sample.tokens.begin(), sample.tokens.end());
    const auto n = static_cast<int64_t>(all.size()), start = static_cast<int64_t>(prompt.size());
    const auto tokens = at::tensor(std::vector<int64_t>(all.begin(), all.end()));
    const auto hidden = model->object().forward({tokens, {Segment{0, n, 0, -1, {}}}}, nullptr);
    return policy->arithmetic
        .token_logprobs(hidden.slice(0, start - 1, n - 1).contiguous(), policy->head,
                        tokens.slice(0, start, n).contiguous(), 1.0)
        .log_prob;
  }

  // Returns the log-probabilities of a whole text in one forward pass, which any way of caching must reproduce.
  std::vector<float> all_log_probs(std::vector<int32_t> text) {
    Sample rest;
    rest.tokens.assign(text.begin() + 1, text.end());
    const auto values = trainer_log_probs({text.front()}, rest);
    return {values.const_data_ptr<float>(), values.const_data_ptr<float>() + values.size(0)};
  }

  // Returns `count` different-looking token ids.
  static std::vector<int32_t> numbers(int32_t first, int32_t count) {
    std::vector<int32_t> all;
    for (int32_t i = 0; i < count; ++i) all.push_back((first + 7 * i) % 90);
    return all;
  }

  // True if tokens and log-probabilities are bitwise identical.
  static bool same(const Sample& a, const Sample& b) { return a.tokens == b.tokens && a.log_probs == b.log_probs; }

  plugin::Services services;
  std::unique_ptr<plugin::Plugin<Model>> model;
  std::unique_ptr<Policy> policy;
  // Prompts of 3, 16 and 33 tokens.
  const std::vector<Prompt> prompts{{0, {3, 1, 4}}, {1, std::vector<int32_t>(16, 9)}, {2, std::vector<int32_t>(33, 2)}};
};

}  // namespace compeer::rollout
