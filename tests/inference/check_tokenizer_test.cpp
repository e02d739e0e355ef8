#include "inference/check_tokenizer.h"

#include <gtest/gtest.h>

#include "base/disk.h"
#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "places.h"

namespace compeer::inference {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path source_folder = COMPEER_SOURCE_DIR;
const std::string world = (source_folder / "plugins/datasets/esc_world/tokenizer").string(),
                  qwen_folder = (source_folder / "tests/golden/qwen2.5").string();
const std::string confirm = "model.foreign_tokenizer = true trains the model on other tokens than its own";

class CheckTokenizer : public testing::Test {
 protected:
  // A model's folder without weights: so many rows, and this tokenizer, if any.
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

// A dry run of a script checks specs whose models earlier runs are still to make.
TEST_F(CheckTokenizer, LeavesOutFoldersThatDoNotExistYet) {
  EXPECT_EQ(complaint({{"path", "results/first/checkpoints/last"}}), "nothing");
  EXPECT_EQ(complaint({{"path", model("m", 10)}, {"tokenizer", "results/first/checkpoints/last"}}), "nothing");
}

TEST_F(CheckTokenizer, RefusesOneThatIsNotTheModelsOwn) {
  const auto qwen = model("qwen", 151936, qwen_folder);
  EXPECT_EQ(complaint({{"path", qwen}, {"tokenizer", world}}),
            "model.tokenizer: the tokenizer in " + world + " is not that of the model in " + qwen +
                ": token 256 is 'ou', and '  ' in the model's own\n  help: leave out model.tokenizer; " + confirm);
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
            "model.tokenizer: the tokenizer in " + world + " has 1024 tokens, the model in " + bare +
                " was made for 151936\n  help: name the tokenizer that the model was trained with; " + confirm);
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
                ": token 256 is '  ', and 'ou' in the model's own\n  help: set it to " + adapter + "; " + confirm);
  EXPECT_EQ(complaint({{"path", qwen}, {"tokenizer", adapter}, {"adapter", adapted}}), "nothing");
}

}  // namespace
}  // namespace compeer::inference
