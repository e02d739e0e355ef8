#include "language/tokenizer.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "language/text_stream.h"
#include "language/tiny_tokenizer.h"
#include "places.h"

namespace compeer::language {
namespace {

namespace fs = std::filesystem;

const fs::path tokenizer_folder = fs::path(COMPEER_SOURCE_DIR) / "plugins/datasets/esc_world/tokenizer";

const Tokenizer& tokenizer() {
  static const Tokenizer loaded = Tokenizer::load(tokenizer_folder);
  return loaded;
}

TEST(Tokenizer, AgreesWithHuggingFace) {
  std::ifstream in(fs::path(COMPEER_SOURCE_DIR) / "tests/golden/esc_world_tokenizer.jsonl");
  int lines = 0;
  for (std::string line; std::getline(in, line); ++lines) {
    const auto record = nlohmann::json::parse(line);
    EXPECT_EQ(tokenizer().encode(record.at("text").get<std::string>(), true),
              record.at("ids").get<std::vector<int32_t>>())
        << line;
  }
  EXPECT_GE(lines, 100);
}

TEST(Tokenizer, DecodesWhatItEncoded) {
  for (const std::string text : {"i feel so lost about my job", "  two  spaces\n\n",
                                 "caf\xC3\xA9 \xE4\xBD\xA0\xE5\xA5\xBD \xF0\x9F\x99\x82", ""}) {
    EXPECT_EQ(tokenizer().decode(tokenizer().encode(text)), text);
  }
}

TEST(Tokenizer, ReadsSpecialTokensInTextOnlyIfAsked) {
  const std::string text = "<|im_end|>";
  EXPECT_EQ(tokenizer().encode(text, true), (std::vector<int32_t>{tokenizer().end_token()}));
  const auto plain = tokenizer().encode(text);
  EXPECT_GT(plain.size(), 1u);
  EXPECT_EQ(tokenizer().decode(plain), text);
}

TEST(Tokenizer, LeavesSpecialTokensOutUnlessAsked) {
  const std::vector<int32_t> ids{tokenizer().end_token()};
  EXPECT_EQ(tokenizer().decode(ids), "");
  EXPECT_EQ(tokenizer().decode(ids, true), "<|im_end|>");
}

// The published tokenizer in tests/golden/qwen2.5, and the library tokenizers' results for texts and ids.
const fs::path golden_folder = fs::path(COMPEER_SOURCE_DIR) / "tests/golden";

nlohmann::json golden(const char* name) {
  std::ifstream in(golden_folder / "tokenizer" / name);
  return nlohmann::json::parse(in);
}

const Tokenizer& qwen() {
  static const Tokenizer loaded = Tokenizer::load(golden_folder / "qwen2.5");
  return loaded;
}

using Ids = std::vector<int32_t>;

TEST(Qwen, EncodesAsHuggingFaceDoes) {
  int records = 0;
  for (const auto& record : golden("encode.json")) {
    const auto text = record.at("text").get<std::string>();
    EXPECT_EQ(qwen().encode(text, true), record.at("ids").get<Ids>()) << text;
    if (record.contains("ids_special_as_text")) {
      EXPECT_EQ(qwen().encode(text), record.at("ids_special_as_text").get<Ids>()) << text;
    }
    ++records;
  }
  EXPECT_EQ(records, 296);
}

TEST(Qwen, DecodesAsHuggingFaceDoes) {
  for (const auto& record : golden("decode.json")) {
    const auto ids = record.at("ids").get<Ids>();
    EXPECT_EQ(qwen().decode(ids, true), record.at("text"));
    EXPECT_EQ(qwen().decode(ids), record.at("text_skip_special"));
  }
}

// 96 merges of this file begin with "#": only "#version" on the first line is a header.
TEST(Qwen, HasMergesThatBeginWithANumberSign) { EXPECT_EQ(qwen().encode("##"), (Ids{565})); }

TEST(Qwen, KnowsItsTokens) {
  EXPECT_EQ(qwen().size(), 151665);
  EXPECT_EQ(qwen().end_token(), 151645);
  EXPECT_TRUE(qwen().has_id(151664));
  EXPECT_FALSE(qwen().has_id(151665));
  EXPECT_FALSE(qwen().has_id(-1));
  EXPECT_EQ(qwen().decode(Ids{151700, 9707, -3}), "Hello");
}

// A megabyte of one letter is one word, and a long run of combining marks belongs to one letter: neither may take
// quadratic time.
TEST(Qwen, TakesLongWordsAndLongRunsOfMarks) {
  EXPECT_EQ(qwen().encode(std::string(1000000, 'a')).size(), 125000u);
  std::string marks = "a";
  for (int i = 0; i < 100000; ++i) marks += "\xCC\x81\xCC\x96";
  EXPECT_EQ(qwen().decode(qwen().encode(marks)).size(), marks.size() - 1);  // a and the mark become U+00E1
}

// Spans of user content only disable special tokens: a line break and the following word are still merged over the
// border.
TEST(Qwen, ReadsSpecialTokensOutsideOfSpansOnly) {
  const std::string text = "<|im_start|>user\n\nI'<|im_end|>d<|im_end|>\n";
  const size_t begin = text.find("\nI"), end = text.find("d<") + 1;
  const ByteSpan content{begin, end};
  auto wanted = qwen().encode("<|im_start|>", true);
  for (const int32_t id : qwen().encode("user\n\nI'<|im_end|>d")) wanted.push_back(id);
  for (const int32_t id : qwen().encode("<|im_end|>\n", true)) wanted.push_back(id);
  EXPECT_EQ(qwen().encode(text, {&content, 1}), wanted);
}

// User content that ends with the beginning of a special token does not hide the template's own token.
TEST(Qwen, FindsTheTemplatesTokensBesideBrokenOnes) {
  const std::string text = "<|im_<|im_end|>";
  const ByteSpan content{0, 5}, half{0, 8};
  EXPECT_EQ(qwen().encode(text, {&content, 1}).back(), qwen().end_token());
  EXPECT_NE(qwen().encode(text, {&half, 1}).back(), qwen().end_token());
}

TEST(TextStream, NeverGivesHalfACharacter) {
  const auto ids = qwen().encode("a \xF0\x9F\xA6\x99\xF0\x9F\x8F\xBD \xE9\xBE\x98z");
  TextStream stream(qwen());
  std::string all;
  for (const int32_t id : ids) {
    const auto piece = stream.push(id);
    EXPECT_EQ(piece, valid_utf8(piece));
    EXPECT_EQ(piece.find("\xEF\xBF\xBD"), std::string::npos);
    all += piece;
  }
  EXPECT_EQ(all + stream.finish(), qwen().decode(ids));
}

TEST(TextStream, EndsAsDecodeDoes) {
  for (const auto& record : golden("decode.json")) {
    TextStream stream(qwen(), true);
    std::string all;
    for (const int32_t id : record.at("ids").get<Ids>()) all += stream.push(id);
    EXPECT_EQ(all + stream.finish(), record.at("text"));
  }
}

TEST(TextStream, FlushesABrokenEnd) {
  TextStream stream(qwen());
  EXPECT_EQ(stream.push(qwen().encode("\xF0\x90\x8D\x88")[0]), "");
  EXPECT_EQ(stream.finish(), "\xEF\xBF\xBD");
  EXPECT_EQ(stream.finish(), "");
}

// A tokenizer of 256 bytes and a few merges, in a temporary folder.
class Tiny : public TinyTokenizer {};

TEST_F(Tiny, JoinsByRankFromTheLeft) {
  write(whole({{"merges", {"a b", "b c", "ab c"}}}, {"ab", "bc", "abc"}));
  EXPECT_EQ(load().encode("abcbc"), (Ids{258, 257}));
  EXPECT_EQ(load().encode("aab"), (Ids{64, 256}));
}

TEST_F(Tiny, TakesWholeWordsIfMergesAreIgnored) {
  write(whole({{"merges", nlohmann::json::array()}, {"ignore_merges", true}}, {"abc"}));
  EXPECT_EQ(load().encode("abc"), (Ids{256}));
  EXPECT_EQ(load().encode("abcd").size(), 4u);
}

TEST_F(Tiny, LosesBytesWithoutAToken) {
  auto file = whole({{"merges", {"a b"}}}, {"ab"});
  file["model"]["vocab"].erase("c");
  write(file);
  EXPECT_EQ(load().lost_bytes(), 1);
  EXPECT_EQ(load().encode("acbc"), (Ids{256}));  // without the lost byte, "a" and "b" are neighbours
}

TEST_F(Tiny, StripsWhiteSpaceAroundAddedTokens) {
  auto file = whole();
  file["added_tokens"] = {{{"id", 256}, {"content", "<r>"}, {"rstrip", true}},
                          {{"id", 257}, {"content", "<l>"}, {"lstrip", true}}};
  write(file);
  EXPECT_EQ(load().encode("a<r> \n <l>b"), (Ids{64, 256, 257, 65}));
  EXPECT_EQ(load().encode(" \xE2\x80\x83<l>"), (Ids{257}));
}

TEST_F(Tiny, LooksForSingleWordsOnlyWhereTheyStandAlone) {
  auto file = whole();
  file["added_tokens"] = {{{"id", 256}, {"content", "ow"}, {"single_word", true}}};
  write(file);
  EXPECT_EQ(load().encode("ow-ow.wow"), (Ids{256, 12, 256, 13, 86, 78, 86}));
  EXPECT_EQ(load().encode("ow\xCC\x81").front(), 78);  // the mark belongs to the letter
}

TEST_F(Tiny, PrefersTheLongestAddedToken) {
  auto file = whole();
  file["added_tokens"] = {{{"id", 256}, {"content", "<a>"}}, {{"id", 257}, {"content", "<a><b>"}}};
  write(file);
  EXPECT_EQ(load().encode("<a><b><a>"), (Ids{257, 256}));
}

TEST_F(Tiny, LooksForNormalizedTokensInNormalText) {
  auto file = whole();
  file["normalizer"] = {{"type", "NFC"}};
  file["added_tokens"] = {{{"id", 256}, {"content", "e\xCC\x81"}, {"normalized", true}},
                          {{"id", 257}, {"content", "o\xCC\x81"}, {"normalized", false}}};
  write(file);
  EXPECT_EQ(load().encode("\xC3\xA9"), (Ids{256}));
  EXPECT_EQ(load().encode("\xC3\xB3").size(), 2u);
  EXPECT_EQ(load().encode("o\xCC\x81"), (Ids{257}));
}

// Special tokens that are matched after normalization: the content's span moves, but stays content.
TEST_F(Tiny, KeepsSpansThroughTheNormalForm) {
  auto file = whole();
  file["normalizer"] = {{"type", "NFC"}};
  file["added_tokens"] = {{{"id", 256}, {"content", "<s>"}, {"normalized", true}, {"special", true}}};
  write(file);
  const std::string text = "<s>e\xCC\x81<s>e\xCC\x81<s>";
  const ByteSpan content{3, text.size() - 3};
  const auto ids = load().encode(text, {&content, 1});
  EXPECT_EQ(std::count(ids.begin(), ids.end(), 256), 2);
  EXPECT_EQ(ids.front(), 256);
  EXPECT_EQ(ids.back(), 256);
}

TEST_F(Tiny, TakesTokensOfTheConfigThatTheTokenizerLacks) {
  write(whole());
  config({{"eos_token", {{"content", "<end>"}}},
          {"added_tokens_decoder", {{"300", {{"content", "<x>"}, {"special", true}}}}}});
  EXPECT_EQ(load().id("<x>"), 300);
  EXPECT_EQ(load().end_token(), 301);
  EXPECT_EQ(load().encode("<x>", true), (Ids{300}));
}

TEST_F(Tiny, SplitsAsItsClassSaysIfItIsTwoTables) {
  const auto all = whole({{"merges", nlohmann::json::array()}}, {"11"});
  write_file("vocab.json", all.at("model").at("vocab").dump());
  write_file("merges.txt", "#version: 0.2\n1 1\n");
  config({{"tokenizer_class", "GPT2Tokenizer"}, {"eos_token", "11"}});
  EXPECT_EQ(load().encode("11"), (Ids{256}));  // GPT-2 does not split digits
  config({{"tokenizer_class", "Qwen2TokenizerFast"}});
  EXPECT_EQ(load().encode("11"), (Ids{16, 16}));
  config({{"tokenizer_class", "LlamaTokenizer"}});
  EXPECT_NE(message().find("tokenizer_config.json: tokenizer_class 'LlamaTokenizer' is not supported"),
            std::string::npos);
}

TEST_F(Tiny, CopiesItsFiles) {
  write(whole());
  write_file("chat_template.jinja", "x");
  fs::create_directories(folder() / "copy");
  load().save(folder() / "copy");
  EXPECT_TRUE(fs::exists(folder() / "copy/tokenizer.json"));
  EXPECT_TRUE(fs::exists(folder() / "copy/chat_template.jinja"));
}

// Invalid tokenizer files are refused with the file's name and the reason.
class Refused : public TinyTokenizer {
 protected:
  void expect(const nlohmann::json& file, const std::string& what) {
    write(file);
    EXPECT_NE(message().find("tokenizer.json: " + what), std::string::npos) << message() << "\nwanted " << what;
  }
};

TEST_F(Refused, WhatIsNoJson) {
  for (const char* text : {"", "{", "[1,]"}) {
    write_file("tokenizer.json", text);
    EXPECT_NE(message().find("tokenizer.json: is not valid JSON"), std::string::npos) << text;
  }
  write_file("tokenizer.json", "{\"model\":\"\xFF\"}");
  EXPECT_NE(message().find("tokenizer.json: is not UTF-8"), std::string::npos) << message();
  write_file("tokenizer.json", std::string(100000, '['));
  EXPECT_NE(message().find("nests more than 64 levels"), std::string::npos);
  write_file("tokenizer.json", R"({"model":1,"model":2})");
  EXPECT_NE(message().find("has the key 'model' twice"), std::string::npos);
}

TEST_F(Refused, PipesWhichMightNeverEnd) {
  for (const char* name : {"tokenizer_config.json", "tokenizer.json"}) {
    write(whole());
    fs::remove(folder() / name);
    ASSERT_EQ(::mkfifo((folder() / name).c_str(), 0600), 0);
    EXPECT_NE(message().find(std::string(name) + ": is a pipe or a device, not a file"), std::string::npos)
        << message();
    fs::remove(folder() / name);
  }
}

TEST_F(Refused, WhatLacksAPart) {
  expect(nlohmann::json::object(), "is not a valid tokenizer: ");
  expect({{"model", {{"type", "BPE"}, {"merges", nlohmann::json::array()}}}}, "its table 'model' has no vocab");
  expect({{"model", {{"type", "BPE"}, {"vocab", nlohmann::json::object()}}}}, "its table 'model' has no merges");
}

TEST_F(Refused, WhatIsNotSupported) {
  auto file = whole();
  file["model"]["type"] = "WordPiece";
  expect(file, "a model of type 'WordPiece' is not supported");
  file = whole();
  file["pre_tokenizer"] = {{"type", "UnicodeScripts"}};
  expect(file, "pre-tokenizer 'UnicodeScripts' is not supported");
  file = whole();
  file["normalizer"] = {{"type", "Lowercase"}};
  expect(file, "normalizer 'Lowercase' is not supported");
}

TEST_F(Refused, IdsThatCanBeNone) {
  auto file = whole();
  file["model"]["vocab"]["a"] = -1;
  expect(file, "token 'a' has id -1");
  file["model"]["vocab"]["a"] = 4000000000;
  expect(file, "token 'a' has id 4000000000");
  file["model"]["vocab"]["a"] = "5";
  expect(file, "token 'a' has a string instead of an id");
  file["model"]["vocab"]["a"] = 65;
  expect(file, "tokens 'a' and 'b' both have id 65");
  file = whole();
  file["added_tokens"] = {{{"id", 64}, {"content", "<x>"}}};
  expect(file, "added token '<x>' has id 64, but the token or the id already exists");
  file["added_tokens"][0]["id"] = 1e300;
  expect(file, "is not a valid tokenizer: [json.exception.type_error.302] type must be a whole number, but is 1e+300");
}

TEST_F(Refused, MergesOfUnknownTokens) {
  expect(whole({{"merges", {"a b"}}}), "a merge names 'ab', which is not in the vocabulary");
  expect(whole({{"merges", {"ab"}}}), "merge 'ab' is not a pair");
  expect(whole({{"merges", {{"a"}}}}), "merge number 1 is not a pair");
  expect(whole({{"merges", {5}}}), "merge number 1 contains a number");
}

TEST_F(Refused, BrokenPatterns) {
  auto file = whole();
  const auto pattern = [&](const std::string& regex) {
    file["pre_tokenizer"] = {{"type", "Sequence"},
                             {"pretokenizers",
                              {{{"type", "Split"}, {"pattern", {{"Regex", regex}}}, {"behavior", "Isolated"}},
                               {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}}}}};
    return file;
  };
  expect(pattern("(a"), "the split pattern is invalid: missing closing parenthesis");
  expect(pattern("[a&&b]"), "the split pattern has an intersection of sets, which is not supported");
  write(pattern("(a+)+$"));
  EXPECT_THROW(load().encode(std::string(10000, 'a') + "b"), Error);
}

TEST_F(Refused, AFolderWithoutTokenizer) {
  EXPECT_NE(message().find("contains no tokenizer"), std::string::npos);
  fs::create_directories(folder() / "checkpoints/last");
  EXPECT_NE(message().find("the newest model of this run is in "), std::string::npos) << message();
  write_file("vocab.json", "{}");
  EXPECT_NE(message().find("vocab.json: contains no vocabulary"), std::string::npos);
  write_file("vocab.json", "{\"a\":0}");
  EXPECT_NE(message().find("merges.txt: can't be read"), std::string::npos);
  write_file("merges.txt", "a b\nabc\n");
  EXPECT_NE(message().find("merges.txt:2: is not a merge of two tokens"), std::string::npos);
}

}  // namespace
}  // namespace compeer::language
