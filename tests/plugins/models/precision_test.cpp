// Precisions of stored weights and their effect: frozen, rounded, quantized in blocks.
#include <fstream>

#include "base/error.h"
#include "kernels/quantized.h"
#include "qwen2_model.h"
#include "record/safetensors.h"

namespace compeer {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

TEST(Qwen2Frozen, ComputesTheSameBitsAsTrainable) {
  const std::string tied = golden_folder.string(), halves = (golden_folder.parent_path() / "text_bf16").string();
  for (const auto& folder : {tied, halves}) {
    const auto trainable = computed({{"path", folder}});
    for (const char* precision : {"stored", "float32"})
      expect_same_bits(computed({{"path", folder}, {"frozen", true}, {"precision", precision}}), trainable);
  }
}

TEST(Qwen2Frozen, InBfloat16IsWhatAFolderInBfloat16Gives) {
  const std::string halves = (golden_folder.parent_path() / "text_bf16").string();
  expect_same_bits(computed({{"path", halves}, {"frozen", true}, {"precision", "bfloat16"}}),
                   computed({{"path", halves}}));
  const auto rounded = computed({{"path", golden_folder.string()}, {"frozen", true}, {"precision", "bfloat16"}});
  const double error = (rounded[1] - computed({{"path", golden_folder.string()}})[1]).abs().max().item<double>();
  EXPECT_GT(error, 1e-4);
  EXPECT_LT(error, 0.1);
}

// Both engines multiply by the same rounded weights, so they differ only by float32 rounding of sums.
TEST(Qwen2Frozen, InBfloat16IsTheSameModelForBothEngines) {
  const json rounded{{"path", golden_folder.string()}, {"frozen", true}, {"precision", "bfloat16"}};
  json libtorch = rounded;
  libtorch["engine"] = "libtorch";
  const auto expected = computed(rounded), got = computed(libtorch);
  EXPECT_LT((got[1] - expected[1]).abs().max().item<double>(), 1e-5);
  for (const Parameter& p : open_model(libtorch)->object().parameters())
    EXPECT_EQ(p.value.scalar_type(), p.value.dim() > 1 ? at::kBFloat16 : at::kFloat) << p.name;
}

// The embedding (also the head) and the projections are quantized; norms and biases are not.
TEST_F(Qwen2Files, BlocksAreTheModelOfTheWeightsTheyStandFor) {
  for (const auto format : {WeightFormat::q8_0, WeightFormat::q4_0}) {
    const auto model = open_model({{"path", golden_folder.string()}});
    for (const Parameter& p : model->object().parameters()) {
      if (p.value.dim() != 2) continue;
      for (int64_t i = 0; i < p.value.size(0); ++i)
        kernels::round_row(p.value.detach()[i].mutable_data_ptr<float>(), p.value.size(1), format);
    }
    model->object().save(folder.string());
    const char* precision = format == WeightFormat::q8_0 ? "q8_0" : "q4_0";
    const auto kept = computed({{"path", golden_folder.string()}, {"frozen", true}, {"precision", precision}});
    expect_same_bits(kept, computed({{"path", folder.string()}}));
    EXPECT_FALSE(at::equal(kept[1], computed({{"path", golden_folder.string()}})[1]));
  }
}

TEST(Qwen2Frozen, HasNoGradient) {
  const auto model = open_model({{"path", golden_folder.string()}, {"frozen", true}});
  for (const Parameter& p : model->object().parameters()) EXPECT_FALSE(p.value.requires_grad()) << p.name;
}

TEST_F(Qwen2Files, FrozenHalvesAreSavedAsHalves) {
  const auto source = (golden_folder.parent_path() / "text_bf16").string();
  open_model({{"path", source}, {"frozen", true}, {"precision", "stored"}})->object().save(folder.string());
  EXPECT_EQ(json::parse(std::ifstream(folder / "config.json")).at("dtype"), "bfloat16");
  EXPECT_EQ(record::Safetensors::open_sharded(folder).tensor("model.embed_tokens.weight").dtype, "BF16");
  expect_same_bits(computed({{"path", folder.string()}}), computed({{"path", source}}));
  open_model({{"path", source}})->object().save(folder.string());
  EXPECT_EQ(json::parse(std::ifstream(folder / "config.json")).at("dtype"), "float32");
}

TEST(Qwen2Settings, StoredPrecisionIsForFrozenWeights) {
  try {
    open_model({{"config", small_config()}, {"precision", "stored"}});
    FAIL() << "was accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.problem(), "model.precision: is 'stored', but trained weights must be float32 or bfloat16");
    EXPECT_EQ(e.help(), "set frozen = true, or choose one of these");
    EXPECT_EQ(e.exit(), Exit::spec);
  }
}

TEST(Qwen2Settings, AFreshModelHasRoomInMemory) {
  auto config = small_config();
  config["hidden_size"] = 1 << 22;  // matrices of 64 TiB
  try {
    open_model({{"config", config}});
    FAIL() << "was accepted";
  } catch (const Error& e) {
    EXPECT_TRUE(e.problem().starts_with("model.config: is a model of ")) << e.problem();
    EXPECT_TRUE(e.problem().ends_with(" GiB of memory are free")) << e.problem();
    EXPECT_EQ(e.exit(), Exit::spec);
  }
}

TEST(Qwen2Settings, BlocksAreForFrozenWeightsAndTheExactEngine) {
  const auto complaint = [](const json& settings) {
    try {
      open_model(settings);
    } catch (const Error& e) {
      return e.problem() + " | " + e.help();
    }
    return std::string("accepted");
  };
  EXPECT_EQ(complaint({{"path", golden_folder.string()}, {"precision", "q8_0"}}),
            "model.precision: is 'q8_0', but trained weights must be float32 or bfloat16 | train an adapter instead "
            "(model.adapter), or choose one of these");
  EXPECT_EQ(
      complaint({{"path", golden_folder.string()}, {"frozen", true}, {"precision", "q4_0"}, {"engine", "libtorch"}}),
      "model.engine: 'libtorch' does not support model.precision = \"q4_0\" | set it to 'exact', or choose another "
      "model.precision");
}

TEST(Qwen2Settings, Bfloat16ProductsAreForWeightsThatItHolds) {
  const auto complaint = [](json settings) {
    settings.update({{"path", golden_folder.string()}, {"frozen", true}, {"compute", "bfloat16"}});
    try {
      open_model(settings);
    } catch (const Error& e) {
      return e.problem() + " | " + e.help();
    }
    return std::string("accepted");
  };
  EXPECT_EQ(complaint({{"engine", "libtorch"}}), "accepted");
  EXPECT_EQ(complaint({{"precision", "q8_0"}}),
            "model.compute: 'bfloat16' does not support model.precision = \"q8_0\", which is multiplied in float32 | "
            "set model.precision = \"bfloat16\"");
  EXPECT_EQ(complaint({{"precision", "stored"}}), "accepted");
}

// Products round the weights however they are stored; the embedding's rows are rounded only if they are stored rounded.
TEST(Qwen2Frozen, ComputesInBfloat16WhatTrainableWeightsDo) {
  const json path{{"path", (golden_folder.parent_path() / "text_bf16").string()}, {"compute", "bfloat16"}};
  const auto trainable = computed(path);
  for (const char* precision : {"stored", "float32", "bfloat16"}) {
    json settings = path;
    settings.update({{"frozen", true}, {"precision", precision}});
    expect_same_bits(computed(settings), trainable);
  }
  const double error = (trainable[1] - computed({{"path", path.at("path")}})[1]).abs().max().item<double>();
  EXPECT_GT(error, 1e-4);
  EXPECT_LT(error, 0.1);
}

// Returns the log-probs and gradients of a golden sequence.
std::vector<at::Tensor> learned(const json& settings) {
  auto model = open_model(settings);
  rollout::Policy policy(model->object());
  const auto tokens = at::arange(1, 20, at::kLong);
  const Batch batch{tokens, {Segment{0, 12, 0, -1, {}}, Segment{12, 7, 12, 0, {}}}};
  const auto log_prob =
      kernels::token_logprobs(model->object().forward(batch, nullptr), policy.head, tokens, 1.0).log_prob;
  log_prob.sum().backward();
  std::vector<at::Tensor> all{log_prob.detach()};
  for (const Parameter& p : model->object().parameters()) all.push_back(p.value.grad());
  return all;
}

TEST(Qwen2Training, ComputesActivationsAgainToTheSameBits) {
  for (const char* compute : {"float32", "bfloat16"}) {
    json settings{{"path", golden_folder.string()}, {"compute", compute}};
    const auto kept = learned(settings);
    for (const int64_t most : {0, 18, 19}) {
      settings["recompute_above"] = most;
      const auto again = learned(settings);
      ASSERT_EQ(again.size(), kept.size());
      for (size_t i = 0; i < kept.size(); ++i) EXPECT_TRUE(at::equal(again[i], kept[i])) << compute << most << " " << i;
    }
  }
}

// Rounding in the forward and the backward pass: gradients are close to those of float32, relative to their size.
TEST(Qwen2Training, WithProductsInBfloat16HasNearlyTheGradientsOfFloat32) {
  const json path{{"path", golden_folder.string()}};
  json rounded = path;
  rounded["compute"] = "bfloat16";
  const auto exact = learned(path), near = learned(rounded);
  for (size_t i = 0; i < exact.size(); ++i) {
    if (!exact[i].defined()) continue;
    EXPECT_LT((near[i] - exact[i]).norm().item<double>(), 0.05 * exact[i].norm().item<double>()) << i;
    EXPECT_FALSE(at::equal(near[i], exact[i])) << i;
  }
}

// Weights that are exact in bfloat16 give the same results in either precision; only their storage differs.
TEST(Qwen2Training, InBfloat16IsThatOfTheRoundedWeights) {
  const auto rounded = learned({{"path", golden_folder.string()}, {"precision", "bfloat16"}});
  const fs::path folder = fs::temp_directory_path() / ("qwen2-rounded-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  {
    auto model = open_model({{"path", golden_folder.string()}, {"precision", "bfloat16"}});
    EXPECT_TRUE(model->object().shape().bfloat16_weights);
    model->object().save(folder.string());
  }
  EXPECT_EQ(record::Safetensors::open_sharded(folder).tensor("model.norm.weight").dtype, "BF16");
  const auto stored = learned({{"path", folder.string()}});
  for (size_t i = 0; i < stored.size(); ++i) EXPECT_TRUE(at::equal(rounded[i], stored[i])) << i;
  fs::remove_all(folder);
}

}  // namespace
}  // namespace compeer
