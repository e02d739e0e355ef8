#include "gguf/vocabulary_files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "../record/temporary_folder.h"
#include "base/files.h"
#include "gguf_bytes.h"
#include "language/tokenizer.h"

namespace compeer::gguf {
namespace {

using nlohmann::json;
using record::complaint;
using record::TemporaryFolder;

VocabularyFiles files_of(const GgufBytes& made) {
  const TemporaryFolder folder;
  std::ofstream(folder / "m.gguf", std::ios::binary) << made.bytes();
  return vocabulary_files(GgufFile::open(folder / "m.gguf"));
}

std::string refusal(const GgufBytes& made) {
  return complaint([&] { files_of(made); });
}

// Two bytes, their merge, a control token, a user-defined token, which is matched as a whole, and an unused one.
GgufBytes small(const std::string& pre = "gpt-2", const std::vector<int32_t>& types = {1, 1, 1, 3, 4, 5}) {
  GgufBytes file;
  file.text("tokenizer.ggml.model", "gpt2").text("tokenizer.ggml.pre", pre);
  file.texts("tokenizer.ggml.tokens", {"a", "b", "ab", "<|end|>", "<x>", "[PAD]"});
  file.numbers("tokenizer.ggml.token_type", types);
  return file.texts("tokenizer.ggml.merges", {"a b"}).number("tokenizer.ggml.eos_token_id", 3);
}

class GoldenVocabulary : public testing::TestWithParam<const char*> {};

TEST_P(GoldenVocabulary, GivesTheIdsOfTheReference) {
  const json golden = json::parse(read_file(golden_gguf / "golden.json")).at("tokenizer");
  const json wanted = golden.at("by_pre").at(GetParam());
  const auto files = vocabulary_files(GgufFile::open(golden_gguf / wanted.at("file").get<std::string>()));
  EXPECT_EQ(files.tokens, golden.at("vocab_size"));
  json splits = json::array();
  const json written = json::parse(files.tokenizer);
  for (const json& step : written.at("pre_tokenizer").at("pretokenizers"))
    if (step.at("type") == "Split") splits.push_back(step.at("pattern").at("Regex"));
  EXPECT_EQ(splits, wanted.at("split"));
  const TemporaryFolder folder;
  write_file(folder / "tokenizer.json", files.tokenizer);
  write_file(folder / "tokenizer_config.json", files.config);
  const auto tokenizer = language::Tokenizer::load(folder.path());
  for (const json& one : wanted.at("encode"))
    EXPECT_EQ(json(tokenizer.encode(one.at("text").get<std::string>(), true)), one.at("ids")) << one.at("text");
}

INSTANTIATE_TEST_SUITE_P(Pre, GoldenVocabulary, testing::Values("gpt-2", "smollm", "llama-bpe", "qwen2"));

TEST(VocabularyFiles, SaysWhatTokensAre) {
  const json tokenizer = json::parse(files_of(small()).tokenizer);
  EXPECT_EQ(tokenizer.at("model").at("vocab"), json({{"a", 0}, {"b", 1}, {"ab", 2}, {"<|end|>", 3}, {"<x>", 4}}));
  EXPECT_EQ(tokenizer.at("model").at("merges"), json({"a b"}));
  EXPECT_EQ(tokenizer.at("model").at("ignore_merges"), false);
  ASSERT_EQ(tokenizer.at("added_tokens").size(), 2u);
  EXPECT_EQ(tokenizer.at("added_tokens")[0].at("special"), true);
  EXPECT_EQ(tokenizer.at("added_tokens")[1].at("special"), false);
  EXPECT_EQ(tokenizer.at("added_tokens")[1].at("content"), "<x>");
  EXPECT_EQ(json::parse(files_of(small("llama-bpe")).tokenizer).at("model").at("ignore_merges"), true);
}

TEST(VocabularyFiles, KeepsAnUnusedTokenThatMergesMake) {
  const json tokenizer = json::parse(files_of(small("gpt-2", {1, 1, 5, 3, 4, 5})).tokenizer);
  EXPECT_TRUE(tokenizer.at("model").at("vocab").contains("ab"));
}

TEST(VocabularyFiles, SaysWhatIsPutBeforeTexts) {
  const auto plain = files_of(small());
  EXPECT_EQ(json::parse(plain.tokenizer).at("post_processor").at("type"), "ByteLevel");
  EXPECT_EQ(json::parse(plain.config).at("add_bos_token"), false);
  auto made = small();
  made.number("tokenizer.ggml.bos_token_id", 3).flag("tokenizer.ggml.add_bos_token", true);
  const auto files = files_of(made);
  EXPECT_EQ(json::parse(files.config).at("add_bos_token"), true);
  EXPECT_EQ(json::parse(files.config).at("bos_token"), "<|end|>");
  const json added = json::parse(files.tokenizer).at("post_processor").at("processors")[1];
  EXPECT_EQ(added.at("single"), json::parse(R"([{"SpecialToken": {"id": "<|end|>", "type_id": 0}},
                                                {"Sequence": {"id": "A", "type_id": 0}}])"));
  EXPECT_EQ(added.at("special_tokens").at("<|end|>").at("ids"), json({3}));
  auto llama = small("llama-bpe");
  EXPECT_EQ(json::parse(files_of(llama.number("tokenizer.ggml.bos_token_id", 3)).config).at("add_bos_token"), true)
      << "as long as the file does not say otherwise";
  auto none = small();
  EXPECT_EQ(refusal(none.flag("tokenizer.ggml.add_bos_token", true)),
            "m.gguf: metadata 'tokenizer.ggml.add_bos_token' is true, but there is no such token");
}

TEST(VocabularyFiles, BringsChatTemplates) {
  auto one = small();
  EXPECT_EQ(json::parse(files_of(one.text("tokenizer.chat_template", "{{ x }}")).config).at("chat_template"),
            "{{ x }}");
  one.texts("tokenizer.chat_templates", {"tool_use"}).text("tokenizer.chat_template.tool_use", "{{ y }}");
  EXPECT_EQ(
      json::parse(files_of(one).config).at("chat_template"),
      json::parse(R"([{"name": "default", "template": "{{ x }}"}, {"name": "tool_use", "template": "{{ y }}"}])"));
}

TEST(VocabularyFiles, RefusesTablesThatDoNotFit) {
  EXPECT_EQ(refusal(small("chatglm-bpe")),
            "m.gguf: splits words by the rule 'chatglm-bpe' (tokenizer.ggml.pre), which is not supported");
  EXPECT_EQ(refusal(small("gpt-2", {1, 1})), "m.gguf: has 6 tokens, but types of 2");
  EXPECT_EQ(refusal(small("gpt-2", {1, 1, 1, 1, 1, 7})), "m.gguf: token 5 is of the unknown type 7");
  EXPECT_EQ(refusal(small("gpt-2", {1, 1, 1, 1, 1, -1})), "m.gguf: token 5 is of the unknown type -1");
  const auto with = [](const std::vector<std::string>& tokens, const std::vector<std::string>& merges) {
    GgufBytes file;
    file.text("tokenizer.ggml.model", "gpt2").text("tokenizer.ggml.pre", "gpt-2");
    return file.texts("tokenizer.ggml.tokens", tokens).texts("tokenizer.ggml.merges", merges);
  };
  EXPECT_EQ(refusal(with({}, {})), "m.gguf: metadata 'tokenizer.ggml.tokens' is empty");
  EXPECT_EQ(refusal(with({"a", "b", "a"}, {})), "m.gguf: tokens 0 and 2 are both 'a'");
  EXPECT_EQ(refusal(with({"a", "b"}, {"a b"})),
            "m.gguf: merge 1, 'a b', requires the token 'ab', which does not exist");
  EXPECT_EQ(refusal(with({"a", "b"}, {"ab"})), "m.gguf: merge 1, 'ab', is not a pair of tokens");
  EXPECT_EQ(refusal(with({"a", "b"}, {"a b a"})), "m.gguf: merge 1, 'a b a', is not a pair of tokens");
  auto beyond = small();
  EXPECT_EQ(refusal(beyond.number("tokenizer.ggml.bos_token_id", 6)),
            "m.gguf: metadata 'tokenizer.ggml.bos_token_id' is 6");
}

TEST(SpecialIds, NameAllEnds) {
  auto made = small();
  made.number("tokenizer.ggml.eot_token_id", 4).number("tokenizer.ggml.eom_token_id", 3);
  const TemporaryFolder folder;
  std::ofstream(folder / "m.gguf", std::ios::binary) << made.bytes();
  EXPECT_EQ(json(special_ids(GgufFile::open(folder / "m.gguf"), 6)), json({{"eos_token_id", {3, 4}}}));
}

}  // namespace
}  // namespace compeer::gguf
