// The plugin against transformers: tests/golden/text_tied holds a small model and what the library computes with it.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "plugin/host.h"
#include "plugin/open.h"
#include "record/safetensors.h"
#include "rollout/engine.h"

namespace compeer {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kGolden = fs::path(COMPEER_SOURCE_DIR) / "tests/golden/text_tied";

std::unique_ptr<plugin::Plugin<Model>> open_model(const json& given) {
  json settings = {
      {"path", nullptr}, {"config", nullptr}, {"frozen", false}, {"precision", "float32"}, {"engine", "exact"}};
  settings.update(given);
  static const plugin::Services services;
  const plugin::Chosen chosen{"models", "qwen2", COMPEER_BINARY_DIR "/plugins/models/qwen2.so", ""};
  return std::make_unique<plugin::Plugin<Model>>(
      plugin::open<Model>(chosen, Settings(settings), std::make_unique<plugin::RunHost>(chosen, services)));
}

json small_config() {
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

class Qwen2Golden : public testing::Test {
 protected:
  Qwen2Golden() {
    std::ifstream in(kGolden / "golden.json");
    golden = json::parse(in);
  }

  Batch batch(const std::vector<int64_t>& ids) const {
    return {at::tensor(ids), {Segment{0, static_cast<int64_t>(ids.size()), 0, -1, {}}}};
  }

  at::Tensor log_probs(const std::vector<int64_t>& ids, double temperature = 1.0) {
    const auto b = batch(ids);
    const auto n = static_cast<int64_t>(ids.size());
    const auto hidden = model->object().forward(b, nullptr);
    return kernels::token_logprobs(hidden.slice(0, 0, n - 1).contiguous(), policy.head,
                                   b.tokens.slice(0, 1, n).contiguous(), temperature)
        .log_prob;
  }

  json golden;
  std::unique_ptr<plugin::Plugin<Model>> model = open_model({{"path", kGolden.string()}});
  rollout::Policy policy{model->object()};
};

TEST_F(Qwen2Golden, LogProbabilitiesAgreeWithTransformers) {
  const at::NoGradGuard no_grad;
  const auto sequences = golden.at("sequences").get<std::vector<std::vector<int64_t>>>();
  for (const auto& [key, temperature] : {std::pair{"logprobs", 1.0}, std::pair{"logprobs_temperature_0_7", 0.7}}) {
    for (size_t s = 0; s < sequences.size(); ++s) {
      if (sequences[s].size() < 2) continue;
      const auto ours = log_probs(sequences[s], temperature);
      for (size_t i = 0; i + 1 < sequences[s].size(); ++i) {
        EXPECT_NEAR(ours[static_cast<int64_t>(i)].item<double>(), golden.at("right").at(key)[s][i].get<double>(), 1e-5)
            << key << " " << s << " " << i;
      }
    }
  }
}

TEST_F(Qwen2Golden, GradientsAgreeWithTransformers) {
  at::Tensor total = at::zeros({});
  double count = 0;
  for (const auto& ids : golden.at("sequences").get<std::vector<std::vector<int64_t>>>()) {
    if (ids.size() < 2) continue;
    total = total - log_probs(ids).sum();
    count += static_cast<double>(ids.size() - 1);
  }
  const auto loss = total / count;
  EXPECT_NEAR(loss.item<double>(), golden.at("loss_float64").get<double>(), 1e-5);
  loss.backward();
  const auto file = record::Safetensors::open(kGolden / "golden.safetensors");
  for (const Parameter& p : model->object().parameters()) {
    const double norm = golden.at("grad_norms").at(p.name).get<double>();
    EXPECT_NEAR(p.value.grad().norm().item<double>(), norm, 1e-5 * norm + 1e-9) << p.name;
    if (!file.has("grad." + p.name)) continue;
    const auto& view = file.tensor("grad." + p.name);
    const auto expected = at::from_blob(const_cast<std::byte*>(view.bytes.data()), view.shape, at::kFloat).clone();
    EXPECT_LE((p.value.grad() - expected).norm().item<double>(), 1e-5 * norm) << p.name;
  }
}

TEST_F(Qwen2Golden, GreedyTokensAgreeWithTransformers) {
  const auto& greedy = golden.at("greedy");
  rollout::Request request;
  request.sampling.greedy = true;
  request.sampling.max_new_tokens = greedy.at("new_tokens").get<int64_t>();
  std::vector<rollout::Prompt> prompts;
  for (const auto& ids : greedy.at("prompts"))
    prompts.push_back({static_cast<uint32_t>(prompts.size()), ids.get<std::vector<int32_t>>()});
  const auto groups = rollout::generate(policy, prompts, request);
  for (size_t i = 0; i < groups.size(); ++i) {
    EXPECT_EQ(groups[i][0].tokens, greedy.at("tokens")[i].get<std::vector<int32_t>>()) << i;
    for (size_t t = 0; t < groups[i][0].log_probs.size(); ++t)
      EXPECT_NEAR(groups[i][0].log_probs[t], greedy.at("logprobs")[i][t].get<double>(), 1e-5);
  }
}

class Qwen2Files : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }
  const fs::path folder = fs::temp_directory_path() / ("qwen2-" + std::to_string(::getpid()));
};

TEST_F(Qwen2Files, WhatIsSavedIsLoadedBitForBit) {
  auto first = open_model({{"path", nullptr}, {"config", small_config()}});
  first->object().save(folder.string());
  auto second = open_model({{"path", folder.string()}});
  const auto a = first->object().parameters(), b = second->object().parameters();
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_TRUE(at::equal(a[i].value, b[i].value)) << a[i].name;
  }
}

TEST_F(Qwen2Files, AllMisfitsAreNamedAtOnce) {
  auto model = open_model({{"path", nullptr}, {"config", small_config()}});
  model->object().save(folder.string());
  auto config = small_config();
  config["num_hidden_layers"] = 2;
  config["intermediate_size"] = 20;
  std::ofstream(folder / "config.json") << config.dump();
  try {
    open_model({{"path", folder.string()}});
    FAIL() << "was accepted";
  } catch (const Error& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("missing model.layers.1.mlp.up_proj.weight [20, 16]"), std::string::npos) << text;
    EXPECT_NE(text.find("model.layers.0.mlp.up_proj.weight is [24, 16], should be [20, 16]"), std::string::npos)
        << text;
    EXPECT_EQ(e.exit(), Exit::data);
  }
}

TEST_F(Qwen2Files, NeitherPathNorConfigIsAnError) {
  try {
    open_model({{"path", nullptr}, {"config", nullptr}});
    FAIL() << "was accepted";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("needs `path`, a model folder, or `config`"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace compeer
