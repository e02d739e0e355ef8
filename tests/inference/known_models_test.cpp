// Parameter counts against the published numbers.
#include "inference/known_models.h"

#include <gtest/gtest.h>

#include "base/disk.h"
#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "inference/check_tokenizer.h"
#include "places.h"

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
  EXPECT_EQ(size.text() + size.vision_parameters, 8'292'166'656);  // Qwen2.5-VL-7B
}

TEST(ModelSize, IsWhatAnAdapterOfRankOneHas) {
  const auto size = model_size(sizes("llama", 4, 10, 2, 2, 1, 100, true), "config.json");
  // q and o 4 x 4, k and v 4 x 2, three of 4 x 10; in each of two layers
  EXPECT_EQ(size.lora_parameters_per_rank, 2 * (8 + 8 + 6 + 6 + 3 * 14));
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

namespace fs = std::filesystem;

const fs::path source_folder = COMPEER_SOURCE_DIR;
const std::string world = (source_folder / "plugins/datasets/esc_world/tokenizer").string(),
                  qwen_folder = (source_folder / "tests/golden/qwen2.5").string();
const std::string confirm = "set model.foreign_tokenizer = true to train the model with another tokenizer";

class CheckTokenizer : public testing::Test {
 protected:
  // Makes a model folder without weights: `rows` is its vocab_size, `tokenizer` a folder to copy, if not empty.
  std::string model(const std::string& name, int64_t rows, const std::string& tokenizer = "") const {
    const auto folder = scratch_.folder() / name;
    fs::create_directories(folder);
    if (!tokenizer.empty()) fs::copy(tokenizer, folder);
    write_file(folder / "config.json", json{{"model_type", "qwen2"}, {"vocab_size", rows}}.dump());
    return folder.string();
  }
  static std::string complaint(const json& table) {
    try {
      check_tokenizer(table);
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::spec);
      return error.what();
    }
    return "nothing";
  }
  const Scratch scratch_;
};

// A dry run of a script checks specs of models that earlier runs will make.
TEST_F(CheckTokenizer, LeavesOutFoldersThatDoNotExistYet) {
  EXPECT_EQ(complaint({{"path", "results/first/checkpoints/last"}}), "nothing");
  EXPECT_EQ(complaint({{"path", model("m", 10)}, {"tokenizer", "results/first/checkpoints/last"}}), "nothing");
}

TEST_F(CheckTokenizer, RefusesOneThatIsNotTheModelsOwn) {
  const auto qwen = model("qwen", 151936, qwen_folder);
  EXPECT_EQ(complaint({{"path", qwen}, {"tokenizer", world}}),
            "model.tokenizer: the tokenizer in " + world + " is not that of the model in " + qwen +
                ": token 256 is 'ou', but '  ' in the model's own tokenizer\n  help: remove model.tokenizer, or " +
                confirm);
  EXPECT_EQ(complaint({{"path", qwen}, {"tokenizer", world}, {"foreign_tokenizer", true}}), "nothing");
  EXPECT_EQ(complaint({{"path", qwen}, {"tokenizer", qwen_folder}}), "nothing") << "the same in another folder";
  EXPECT_EQ(complaint({{"path", qwen}, {"tokenizer", nullptr}}), "nothing");
}

TEST_F(CheckTokenizer, TakesTheSameTokensWithAnotherTemplateAndMoreTokens) {
  const auto own = model("own", 1024, world), mine = model("mine", 0, world);
  auto file = read_json_object(fs::path(mine) / "tokenizer.json");
  file["added_tokens"].push_back({{"id", 1024}, {"content", "<|mine|>"}, {"special", true}, {"normalized", false}});
  write_file(fs::path(mine) / "tokenizer.json", file.dump());
  EXPECT_EQ(complaint({{"path", own}, {"tokenizer", mine}}), "nothing");
}

TEST_F(CheckTokenizer, RefusesOneThatFillsHardlyAnyRowsOfAModelWithoutATokenizer) {
  const auto bare = model("bare", 151936);
  EXPECT_EQ(complaint({{"path", bare}, {"tokenizer", world}}),
            "model.tokenizer: the tokenizer in " + world + " has 1024 tokens, but the model in " + bare +
                " was trained with 151936\n  help: set it to the tokenizer that the model was trained with, or " +
                confirm);
  EXPECT_EQ(complaint({{"path", bare}, {"tokenizer", qwen_folder}}), "nothing") << "151665 tokens, padded";
  EXPECT_EQ(complaint({{"path", model("padded", 1280)}, {"tokenizer", world}}), "nothing");
}

TEST_F(CheckTokenizer, HasNothingToSayOfAFreshModel) {
  EXPECT_EQ(complaint({{"path", nullptr}, {"tokenizer", world}, {"config", {{"hidden_size", 16}}}}), "nothing");
}

TEST_F(CheckTokenizer, HoldsAnAdapterToItsOwnTokenizer) {
  const auto qwen = model("qwen", 151936, qwen_folder), adapter = model("adapter", 0, world);
  fs::remove(fs::path(adapter) / "config.json");
  const json adapted = {{"path", adapter}};
  EXPECT_EQ(complaint({{"path", qwen}, {"tokenizer", nullptr}, {"adapter", adapted}}),
            "model.tokenizer: the tokenizer in " + qwen + " is not that of the model in " + adapter +
                ": token 256 is '  ', but 'ou' in the model's own tokenizer\n  help: set it to " + adapter + ", or " +
                confirm);
  EXPECT_EQ(complaint({{"path", qwen}, {"tokenizer", adapter}, {"adapter", adapted}}), "nothing");
}

}  // namespace
}  // namespace compeer::inference
