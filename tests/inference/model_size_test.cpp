// Against the published numbers of weights.
#include "inference/known_models.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace compeer::inference {
namespace {

using nlohmann::json;

json sizes(const std::string& type, int64_t width, int64_t wide, int64_t layers, int64_t heads, int64_t key_heads,
           int64_t vocabulary, bool tied) {
  return {{"model_type", type},          {"hidden_size", width},         {"intermediate_size", wide},
          {"num_hidden_layers", layers}, {"num_attention_heads", heads}, {"num_key_value_heads", key_heads},
          {"vocab_size", vocabulary},    {"tie_word_embeddings", tied}};
}

TEST(ModelSize, IsThatOfTheFamilies) {
  const auto text = [](const json& config) { return model_size(config, "config.json").text(); };
  EXPECT_EQ(text(sizes("llama", 576, 1536, 30, 9, 3, 49152, true)), 134'515'008);       // SmolLM2-135M
  EXPECT_EQ(text(sizes("llama", 2048, 8192, 16, 32, 8, 128256, true)), 1'235'814'400);  // Llama 3.2 1B
  EXPECT_EQ(text(sizes("mistral", 4096, 14336, 32, 32, 8, 32000, false)), 7'241'732'096);
  EXPECT_EQ(text(sizes("qwen2", 3584, 18944, 28, 28, 4, 152064, false)), 7'615'616'512);
  auto qwen3 = sizes("qwen3", 4096, 12288, 36, 32, 8, 151936, false);
  qwen3["head_dim"] = 128;
  EXPECT_EQ(text(qwen3), 8'190'735'360);
}

TEST(ModelSize, CountsTheTower) {
  auto config = sizes("qwen2_5_vl", 3584, 18944, 28, 28, 4, 152064, false);
  config["vision_config"] = {
      {"depth", 32}, {"hidden_size", 1280}, {"intermediate_size", 3420}, {"out_hidden_size", 3584}};
  const auto size = model_size(config, "config.json");
  EXPECT_EQ(size.text() + size.tower, 8'292'166'656);  // Qwen2.5-VL-7B
}

TEST(ModelSize, IsWhatAnAdapterOfRankOneHas) {
  const auto size = model_size(sizes("llama", 4, 10, 2, 2, 1, 100, true), "config.json");
  // q and o 4 x 4, k and v 4 x 2, three of 4 x 10; in each of two layers
  EXPECT_EQ(size.sides, 2 * (8 + 8 + 6 + 6 + 3 * 14));
  EXPECT_EQ(size.multiplied(), size.blocks + 400);
}

TEST(ModelSize, IsReadWhereTheTextHasATableOfItsOwn) {
  const json config = {{"model_type", "llama"}, {"text_config", sizes("llama", 576, 1536, 30, 9, 3, 49152, true)}};
  EXPECT_EQ(model_size(config, "config.json").text(), 134'515'008);
}

TEST(ModelSize, NamesWhatIsMissing) {
  auto config = sizes("llama", 4, 10, 2, 2, 1, 100, true);
  config.erase("vocab_size");
  try {
    model_size(config, "models/x/config.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "models/x/config.json");
    EXPECT_EQ(error.problem(), "has no 'vocab_size'");
  }
}

}  // namespace
}  // namespace compeer::inference
