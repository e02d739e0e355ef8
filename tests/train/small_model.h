#pragma once
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "places.h"
#include "plugin/host.h"
#include "plugin/open.h"
#include "rollout/policy.h"

namespace compeer::train {

/// Fixture with a small model, initialized from a seed.
class SmallModel : public testing::Test {
 protected:
  // Opens the model. `tied`: input and output embeddings are the same; `recompute_above`: the setting of that name.
  static plugin::Plugin<Model> open(bool tied = true, const nlohmann::json& recompute_above = nullptr) {
    const plugin::PluginFile chosen{"models", "qwen2", COMPEER_BINARY_DIR "/plugins/models/qwen2.so", ""};
    static plugin::Services services;
    services.seed = 3;
    const nlohmann::json config{{"vocab_size", 40},
                                {"hidden_size", 32},
                                {"num_hidden_layers", 2},
                                {"num_attention_heads", 4},
                                {"num_key_value_heads", 2},
                                {"intermediate_size", 48},
                                {"max_position_embeddings", 64},
                                {"tie_word_embeddings", tied}};
    const nlohmann::json settings{{"path", nullptr},        {"config", config},  {"frozen", false},
                                  {"precision", "float32"}, {"engine", "exact"}, {"recompute_above", recompute_above}};
    return plugin::open<Model>(chosen, Settings(settings), std::make_unique<plugin::RunHost>(chosen, services));
  }

  // Returns the gradients of sum(a * log_prob), each tensor flattened.
  at::Tensor gradient(const at::Tensor& log_prob, const std::vector<float>& a) {
    return gathered(model.object(), [&] { (log_prob * at::tensor(a)).sum().backward(); });
  }

  // Returns the gradients of all parameters after `backward`, concatenated.
  static at::Tensor gathered(Model& model, const std::function<void()>& backward) {
    for (Parameter& p : model.parameters()) p.value.mutable_grad() = at::zeros_like(p.value);
    backward();
    std::vector<at::Tensor> all;
    for (const Parameter& p : model.parameters()) all.push_back(p.value.grad().flatten());
    return at::cat(all);
  }

  plugin::Plugin<Model> model = open();
  rollout::Policy policy{model.object()};
};

}  // namespace compeer::train
