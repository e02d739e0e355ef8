// The plugin against transformers: tests/golden/bert holds a small model and what the library computes with it.
#include <ATen/Parallel.h>

#include <fstream>

#include "base/files.h"
#include "built.h"
#include "places.h"
#include "record/safetensors.h"
#include "record/temporary_folder.h"
#include "sentence_encoder/config.h"
#include "sentence_encoder/encoder.h"

namespace compeer::sentence_encoder {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using record::TemporaryFolder;

const fs::path golden_folder = fs::path(COMPEER_SOURCE_DIR) / "tests/golden/bert";

json read(const fs::path& file) {
  std::ifstream in(file);
  return json::parse(in);
}

std::vector<std::string> texts() {
  std::vector<std::string> all;
  const json rows = read(golden_folder / "embeddings.json").at("texts");
  for (const json& row : rows) all.push_back(row.at("text"));
  return all;
}

// The reference takes [CLS] and [SEP] of an empty text; here a text without content has no direction.
void expect_reference(Encoder& encoder, const char* which = "mean") {
  const auto all = encoder.embed(texts());
  const json rows = read(golden_folder / "embeddings.json").at("texts");
  for (size_t i = 0; i < all.size(); ++i) {
    const auto wanted = rows[i].at(which).get<std::vector<float>>();
    ASSERT_EQ(all[i].size(), wanted.size());
    const bool content = rows[i].at("ids").size() > 2;
    for (size_t k = 0; k < wanted.size(); ++k)
      ASSERT_NEAR(all[i][k], content ? wanted[k] : 0.0f, 1e-5) << "text " << i << ", element " << k;
  }
}

// A copy of the folder to be changed.
struct Copy {
  Copy() { fs::copy(golden_folder, folder.path(), fs::copy_options::recursive); }
  fs::path operator/(const char* name) const { return folder.path() / name; }
  template <class Change>
  void change(const char* name, Change how) {
    json value = read(*this / name);
    how(value);
    write_file(*this / name, value.dump());
  }
  // Weights under other names; those that get none are left out.
  template <class Naming>
  void rename(Naming naming, std::vector<record::TensorView> more = {}) {
    const auto file = record::Safetensors::open(golden_folder / "model.safetensors");
    for (const auto& name : file.names()) {
      auto view = file.tensor(name);
      view.name = naming(name);
      if (!view.name.empty()) more.push_back(view);
    }
    record::write_safetensors(*this / "model.safetensors", more);
  }
  std::string refused() {
    try {
      Encoder encoder(folder.path());
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::data);
      return error.where().substr(folder.path().string().size()) + ": " + error.problem();
    }
    return "";
  }
  TemporaryFolder folder;
};

TEST(SentenceEncoder, GivesTheVectorsOfTheReference) {
  Encoder encoder(golden_folder);
  expect_reference(encoder);
}

TEST(SentenceEncoder, TakesTheFirstTokenIfItIsTold) {
  Copy copy;
  copy.change("1_Pooling/config.json", [](json& pooling) {
    pooling["pooling_mode_cls_token"] = true;
    pooling["pooling_mode_mean_tokens"] = false;
  });
  Encoder encoder(copy.folder.path());
  expect_reference(encoder, "cls");
}

TEST(SentenceEncoder, NeedsNothingButModelAndTokenizer) {
  Copy copy;
  fs::remove(copy / "modules.json");
  fs::remove_all(copy / "1_Pooling");
  fs::remove(copy / "tokenizer.json");
  Encoder encoder(copy.folder.path());
  expect_reference(encoder);
}

TEST(SentenceEncoder, ReadsAnEncoderWithinALargerModel) {
  Copy copy;
  const std::vector<float> head(4, 1.0f);
  const std::vector<int64_t> ids(40, 0);
  copy.rename([](const std::string& name) { return "bert." + name; },
              {{"cls.predictions.bias", "F32", {4}, std::as_bytes(std::span(head))},
               {"bert.pooler.dense.bias", "F32", {4}, std::as_bytes(std::span(head))},
               {"bert.embeddings.position_ids", "I64", {1, 40}, std::as_bytes(std::span(ids))}});
  Encoder encoder(copy.folder.path());
  expect_reference(encoder);
}

TEST(SentenceEncoder, ReadsTheNamesOfTheFirstRelease) {
  Copy copy;
  copy.rename([](std::string name) {
    if (const auto at = name.find("LayerNorm.weight"); at != name.npos) name.replace(at, 16, "LayerNorm.gamma");
    if (const auto at = name.find("LayerNorm.bias"); at != name.npos) name.replace(at, 14, "LayerNorm.beta");
    return "bert." + name;
  });
  Encoder encoder(copy.folder.path());
  expect_reference(encoder);
}

TEST(SentenceEncoder, GivesTheSameBitsAloneTogetherAndOnTwoThreads) {
  Encoder encoder(golden_folder);
  const auto all = texts();
  const auto together = encoder.embed(all);
  const int threads = at::get_num_threads();
  at::set_num_threads(2);
  EXPECT_EQ(encoder.embed(all), together);
  at::set_num_threads(threads);
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(encoder.embed({all[i]})[0], together[i]) << all[i];
}

// Looking through all keys again whenever one of them ends would take hours.
TEST(SentenceEncoder, ReadsAConfigWithVeryManyKeys) {
  const Copy copy;
  auto text = read(copy / "config.json").dump();
  text.pop_back();
  for (int i = 0; i < 400'000; ++i) text += ",\"" + std::to_string(i) + "\":0";
  write_file(copy / "config.json", text + "}");
  EXPECT_GT(read_config(copy / "config.json").hidden_size, 0);
}

TEST(SentenceEncoder, NamesWeightsThatDoNotFit) {
  Copy copy;
  const std::vector<float> odd(3, 1.0f);
  copy.rename([](const std::string& name) { return name == "embeddings.LayerNorm.bias" ? "" : name; },
              {{"encoder.layer.2.output.dense.bias", "F32", {3}, std::as_bytes(std::span(odd))}});
  copy.change("config.json", [](json& config) { config["vocab_size"] = 107; });
  EXPECT_EQ(copy.refused(),
            ": the weights do not fit config.json:\n"
            "  embeddings.word_embeddings.weight is [106, 32], should be [107, 32]\n"
            "  missing embeddings.LayerNorm.bias [32]\n"
            "  not expected encoder.layer.2.output.dense.bias");
}

TEST(SentenceEncoder, NamesTheFileAndKeyItCantRead) {
  const auto refused = [](const char* file, auto change) {
    Copy copy;
    copy.change(file, change);
    return copy.refused();
  };
  EXPECT_EQ(refused("config.json", [](json& c) { c["model_type"] = "roberta"; }),
            R"(/config.json: 'model_type' is "roberta"; this plugin reads "bert")");
  EXPECT_EQ(refused("config.json", [](json& c) { c["hidden_act"] = "relu"; }),
            R"(/config.json: 'hidden_act' is "relu"; only "gelu" can be read)");
  EXPECT_EQ(refused("config.json", [](json& c) { c.erase("hidden_size"); }),
            "/config.json: lacks the whole number 'hidden_size'");
  EXPECT_EQ(refused("config.json", [](json& c) { c["num_attention_heads"] = 5; }),
            "/config.json: 'hidden_size' must be a multiple of 'num_attention_heads'");
  EXPECT_EQ(refused("config.json", [](json& c) { c["vocab_size"] = 10; }),
            ": its tokenizer has 106 pieces, its model 10");
  EXPECT_EQ(refused("1_Pooling/config.json", [](json& c) { c["pooling_mode_max_tokens"] = true; }),
            "/1_Pooling/config.json: 'pooling_mode_max_tokens' is not supported: mean and cls are");
  EXPECT_EQ(refused("modules.json", [](json& m) { m[2]["type"] = "sentence_transformers.models.Dense"; }),
            R"(/modules.json: the module "sentence_transformers.models.Dense" is not supported)");
  EXPECT_EQ(refused("sentence_bert_config.json", [](json& c) { c["max_seq_length"] = 2; }),
            "/sentence_bert_config.json: 'max_seq_length' leaves no room for text");
}

TEST(SentenceEncoder, IsACosineAsAPlugin) {
  auto plugin = built::open<Similarity>("sentence_encoder", {{"path", golden_folder.string()}});
  built::keeps_contract(plugin);
  EXPECT_EQ(built::values(plugin::compare(plugin, {"the day"}, {"the day", "THE day!", ""})).front(), 1.0);
}

}  // namespace

}  // namespace compeer::sentence_encoder
