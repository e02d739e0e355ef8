#include "built.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <fstream>

#include "base/files.h"
#include "places.h"
#include "record/safetensors.h"
#include "record/temporary_folder.h"
#include "sentence_encoder/config.h"
#include "sentence_encoder/encoder.h"

namespace compeer {
namespace {

double cosine(const std::string& a, const std::string& b, const nlohmann::json& settings = nlohmann::json::object()) {
  auto plugin = built::open<Similarity>("hashed_ngrams", settings);
  return built::values(plugin::compare(plugin, {a}, {b})).at(0);
}

TEST(HashedNgrams, CountsWordsAndPairs) {
  // {a, b, a b} and {a, c, a c}: one of three in common, 1 / sqrt(3 3).
  EXPECT_DOUBLE_EQ(cosine("a b", "a c"), 1.0 / 3.0);
  // {a: 2, b, a a, a b} and {a, b, a b}: (2 + 1 + 1) / sqrt(7 3).
  EXPECT_DOUBLE_EQ(cosine("a a b", "a b"), 4.0 / std::sqrt(21.0));
  // 我 很 难 过 我很 很难 难过, and 我 很 好 我很 很好: three in common, 3 / sqrt(7 5).
  EXPECT_DOUBLE_EQ(cosine("我很难过", "我很好"), 3.0 / std::sqrt(35.0));
}

TEST(HashedNgrams, CountsAsManyWordsInARowAsItIsTold) {
  EXPECT_DOUBLE_EQ(cosine("a b", "a c", {{"n_max", 1}}), 0.5);
  // {a, b, c, a b, b c, a b c} and {a, b, d, a b, b d, a b d}: three of six.
  EXPECT_DOUBLE_EQ(cosine("a b c", "a b d", {{"n_max", 3}}), 0.5);
}

TEST(HashedNgrams, IsExactlyOneForTheSameWords) {
  EXPECT_EQ(cosine("Hello, World! How are you?", "hello world how are you"), 1.0);
}

TEST(HashedNgrams, IsZeroWithoutContentOrWithNothingInCommon) {
  EXPECT_EQ(cosine("", "a"), 0.0);
  EXPECT_EQ(cosine("...", "..."), 0.0);
  EXPECT_EQ(cosine("a b", "c d"), 0.0);
}

// {a, b, c, a b, b c} and {a, b, d, a b, b d}: three of five in common; without a, b and a b none.
TEST(HashedNgrams, LeavesOutWhatWasSaid) {
  auto plugin = built::open<Similarity>("hashed_ngrams");
  const auto beyond = [&](const std::vector<std::string>& said) {
    return built::values(plugin::compare(plugin, {"a b c"}, {"a b d"}, said)).at(0);
  };
  EXPECT_DOUBLE_EQ(beyond({}), 0.6);
  EXPECT_DOUBLE_EQ(beyond({"A b!"}), 0.0);
  EXPECT_DOUBLE_EQ(beyond({"b", "x"}), 0.5) << "{a, c, a b, b c} and {a, d, a b, b d}";
}

TEST(HashedNgrams, KeepsRowsAndColumnsInOrder) {
  auto plugin = built::open<Similarity>("hashed_ngrams");
  const auto cosines = built::values(plugin::compare(plugin, {"x", "a"}, {"a", "b", "x"}));
  EXPECT_EQ(cosines, (std::vector<double>{0, 0, 1, 1, 0, 0}));
}

TEST(HashedNgrams, KeepsTheContractOfItsKind) {
  auto plugin = built::open<Similarity>("hashed_ngrams");
  built::keeps_contract(plugin);
}

// A policy whose embeddings of texts are given here; 0 for all other texts.
struct Policy {
  std::map<std::string, std::vector<float>> thoughts = {};
  std::vector<std::string> asked = {};
  plugin::Services services = built::services();

  plugin::Plugin<Similarity> open() {
    services.embed = [this](const std::vector<std::string>& texts) {
      std::vector<std::vector<float>> all;
      for (const auto& text : texts) all.push_back(thoughts.contains(text) ? thoughts.at(text) : std::vector(2, 0.0f));
      asked = texts;
      return all;
    };
    const auto found = built::finder().get("similarity", "policy_embedding");
    const plugin::PluginFile chosen{found.kind, found.name, found.path, found.sha256};
    return built::open<Similarity>("policy_embedding", {}, std::make_unique<plugin::RunHost>(chosen, services));
  }
};

TEST(PolicyEmbedding, IsTheCosineOfWhatThePolicyMakesOfTexts) {
  Policy policy{.thoughts = {{"a", {3, 4}}, {"b", {-4, 3}}, {"c", {1, 0}}}};
  auto plugin = policy.open();
  // (3, 4) and (1, 0): 3 / 5; (3, 4) and (-4, 3): 0; with itself: 1; with an unknown text: 0.
  EXPECT_EQ(built::values(plugin::compare(plugin, {"a"}, {"c", "b", "a", "unknown"})),
            (std::vector<double>{0.6, 0.0, 1.0, 0.0}));
  EXPECT_EQ(built::values(plugin::compare(plugin, {"b"}, {"c"})), std::vector<double>{-0.8});
}

TEST(PolicyEmbedding, GivesExactlyOneForEqualTexts) {
  Policy policy;
  for (int i = 0; i < 50; ++i) {
    const auto x = static_cast<float>(i);
    policy.thoughts["a"] = {0.1f + x / 7, 1e-3f * x * x, -1.0f / (x + 3)};
    auto plugin = policy.open();
    EXPECT_EQ(built::values(plugin::compare(plugin, {"a"}, {"a"})), std::vector<double>{1.0}) << i;
  }
}

TEST(PolicyEmbedding, AsksForEachTextOnce) {
  Policy policy{.thoughts = {{"a", {1, 0}}}};
  auto plugin = policy.open();
  plugin::compare(plugin, {"a", "b", "a"}, {"b", "c", "a"});
  EXPECT_EQ(policy.asked, (std::vector<std::string>{"a", "b", "c"}));
}

TEST(PolicyEmbedding, NeedsAPolicy) {
  auto plugin = built::open<Similarity>("policy_embedding");
  try {
    plugin::compare(plugin, {"a"}, {"b"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "similarity/policy_embedding: requests embeddings by the policy, but there is none");
    EXPECT_EQ(error.exit(), Exit::plugin);
  }
}

TEST(PolicyEmbedding, KeepsTheContractOfItsKind) {
  Policy policy;
  for (const auto& text : built::odd_texts())
    policy.thoughts[text] = {static_cast<float>(text.size()), text.empty() ? 0.0f : 1.0f};
  auto plugin = policy.open();
  built::keeps_contract(plugin);
}

}  // namespace
}  // namespace compeer

namespace compeer::sentence_encoder {
namespace {

// The plugin compared with transformers: tests/golden/bert contains a small model and the library's results for it.

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

// The reference embeds an empty text by [CLS] and [SEP]; here an empty text has no embedding.
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

// A copy of the folder, to be changed.
struct Copy {
  Copy() { fs::copy(golden_folder, folder.path(), fs::copy_options::recursive); }
  fs::path operator/(const char* name) const { return folder.path() / name; }
  template <class Change>
  void change(const char* name, Change how) {
    json value = read(*this / name);
    how(value);
    write_file(*this / name, value.dump());
  }
  // Renames the weights; those with an empty new name are left out.
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

// Scanning all keys again at the end of each key would take hours.
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
            "  unexpected encoder.layer.2.output.dense.bias");
}

TEST(SentenceEncoder, NamesTheFileAndKeyItCantRead) {
  const auto refused = [](const char* file, auto change) {
    Copy copy;
    copy.change(file, change);
    return copy.refused();
  };
  EXPECT_EQ(refused("config.json", [](json& c) { c["model_type"] = "roberta"; }),
            R"(/config.json: 'model_type' is "roberta"; only "bert" is supported)");
  EXPECT_EQ(refused("config.json", [](json& c) { c["hidden_act"] = "relu"; }),
            R"(/config.json: 'hidden_act' is "relu"; only "gelu" is supported)");
  EXPECT_EQ(refused("config.json", [](json& c) { c.erase("hidden_size"); }),
            "/config.json: has no whole number 'hidden_size'");
  EXPECT_EQ(refused("config.json", [](json& c) { c["num_attention_heads"] = 5; }),
            "/config.json: 'hidden_size' must be a multiple of 'num_attention_heads'");
  EXPECT_EQ(refused("config.json", [](json& c) { c["vocab_size"] = 10; }),
            ": its tokenizer has 106 pieces, but its model only 10");
  EXPECT_EQ(refused("1_Pooling/config.json", [](json& c) { c["pooling_mode_max_tokens"] = true; }),
            "/1_Pooling/config.json: 'pooling_mode_max_tokens' is not supported; only mean and cls are");
  EXPECT_EQ(refused("modules.json", [](json& m) { m[2]["type"] = "sentence_transformers.models.Dense"; }),
            R"(/modules.json: the module "sentence_transformers.models.Dense" is not supported)");
  EXPECT_EQ(refused("sentence_bert_config.json", [](json& c) { c["max_seq_length"] = 2; }),
            "/sentence_bert_config.json: 'max_seq_length' must be at least 3");
}

TEST(SentenceEncoder, IsACosineAsAPlugin) {
  auto plugin = built::open<Similarity>("sentence_encoder", {{"path", golden_folder.string()}});
  built::keeps_contract(plugin);
  EXPECT_EQ(built::values(plugin::compare(plugin, {"the day"}, {"the day", "THE day!", ""})).front(), 1.0);
}

}  // namespace
}  // namespace compeer::sentence_encoder
