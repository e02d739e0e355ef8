// The plugin `qwen2` and its outputs, for its tests.
#pragma once
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "places.h"
#include "plugin/host.h"
#include "plugin/open.h"
#include "rollout/policy.h"

namespace compeer {

// Folder of the reference model.
const std::filesystem::path golden_folder = std::filesystem::path(COMPEER_SOURCE_DIR) / "tests/golden/text_tied";

// Opens a model with the given settings; the others have their defaults.
inline std::unique_ptr<plugin::Plugin<Model>> open_model(const nlohmann::json& given) {
  nlohmann::json settings = {{"path", nullptr},        {"config", nullptr}, {"frozen", false},
                             {"precision", "float32"}, {"engine", "exact"}, {"recompute_above", nullptr}};
  settings.update(given);
  static const plugin::Services services;
  const plugin::PluginFile chosen{"models", "qwen2", COMPEER_BINARY_DIR "/plugins/models/qwen2.so", ""};
  return std::make_unique<plugin::Plugin<Model>>(
      plugin::open<Model>(chosen, Settings(settings), std::make_unique<plugin::RunHost>(chosen, services)));
}

// Returns the configuration of a model of one layer.
inline nlohmann::json small_config() {
  return {{"vocab_size", 40},
          {"hidden_size", 16},
          {"num_hidden_layers", 1},
          {"num_attention_heads", 2},
          {"num_key_value_heads", 1},
          {"intermediate_size", 24},
          {"max_position_embeddings", 64},
          {"rope_theta", 10000.0},
          {"rms_norm_eps", 1e-6},
          {"tie_word_embeddings", false}};
}

// Returns the hidden states and the logits of a model for five tokens.
inline std::vector<at::Tensor> computed(const nlohmann::json& settings) {
  const at::NoGradGuard no_grad;
  const auto model = open_model(settings);
  rollout::Policy policy(model->object());
  const auto hidden =
      model->object().forward({at::tensor({3, 1, 4, 1, 5}, at::kLong), {Segment{0, 5, 0, -1, {}}}}, nullptr);
  return {hidden, policy.arithmetic.logits(hidden, policy.head)};
}

inline void expect_same_bits(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(at::equal(a[i], b[i])) << i;
}

// Fixture with a temporary folder.
class Qwen2Files : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("qwen2-" + std::to_string(::getpid()));
};

}  // namespace compeer
