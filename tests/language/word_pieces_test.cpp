#include "language/word_pieces.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "places.h"
#include "record/temporary_folder.h"

namespace compeer::language {
namespace {

std::string cut(std::string_view text, const BertNormalizerSettings& wording = {}) {
  std::string joined;
  for (const auto& word : bert_words(text, wording)) joined += (joined.empty() ? "" : "|") + word;
  return joined;
}

TEST(BertWords, CutsAtWhiteSpaceAndPunctuation) {
  EXPECT_EQ(cut("How are you?  \tI'm fine..."), "how|are|you|?|i|'|m|fine|.|.|.");
  EXPECT_EQ(cut("a\u00a0b\u3000c\u2028d\r\ne"), "a|b|c|d|e");
  EXPECT_EQ(cut("a$b+c^d`e~f"), "a|$|b|+|c|^|d|`|e|~|f") << "marks of ASCII that Unicode calls symbols";
  EXPECT_EQ(cut("a€b"), "a€b") << "elsewhere symbols are no punctuation";
  EXPECT_EQ(cut("“a”—b…"), "“|a|”|—|b|…");
  EXPECT_EQ(cut(""), "");
  EXPECT_EQ(cut(" \n "), "");
}

TEST(BertWords, CutsChineseCharacterByCharacter) {
  EXPECT_EQ(cut("我很sad。"), "我|很|sad|。");
  EXPECT_EQ(cut("かな"), "かな") << "kana stay together";
  BertNormalizerSettings together;
  together.handle_chinese_chars = false;
  EXPECT_EQ(cut("我很sad", together), "我很sad");
}

TEST(BertWords, RemovesControlCharactersAndWhatIsNoText) {
  EXPECT_EQ(cut(std::string_view("a\0b\u200bc\u00add\x7f", 10)), "abcd");
  EXPECT_EQ(cut("a\xff\xfe b\xe4\xbd"), "a|b");
  BertNormalizerSettings dirty;
  dirty.clean_text = false;
  EXPECT_EQ(cut("a\u200bb\xff", dirty), "a\u200bb\uFFFD");
}

TEST(BertWords, RemovesAccentsAndCapitalsIfAsked) {
  EXPECT_EQ(cut("Café ÀÉÎ İ Ωμέγα Å"), "cafe|aei|i|ωμεγα|a");
  EXPECT_EQ(cut("e\u0301"), "e") << "marks that are characters of their own, too";
  BertNormalizerSettings accents;
  accents.strip_accents = false;
  EXPECT_EQ(cut("Café İ", accents), "café|i\u0307");
  BertNormalizerSettings cased{true, true, false, false};
  EXPECT_EQ(cut("Café", cased), "Café");
}

namespace fs = std::filesystem;
using nlohmann::json;
using record::TemporaryFolder;

const fs::path golden_folder = fs::path(COMPEER_SOURCE_DIR) / "tests/golden/bert";

void expect_reference_ids(const WordPieces& pieces) {
  std::ifstream in(golden_folder / "embeddings.json");
  const json golden = json::parse(in);
  for (const json& row : golden.at("texts")) {
    const auto text = row.at("text").get<std::string>();
    EXPECT_EQ(pieces.encode(text, 1000), row.at("ids").get<std::vector<int32_t>>()) << text;
  }
}

// Returns the error for a folder with a changed tokenizer.json.
template <class Change>
std::string refused(Change change) {
  const TemporaryFolder folder;
  std::ifstream in(golden_folder / "tokenizer.json");
  json tokenizer = json::parse(in);
  change(tokenizer);
  write_file(folder.path() / "tokenizer.json", tokenizer.dump());
  try {
    WordPieces::load(folder.path());
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::data);
    EXPECT_TRUE(error.where().ends_with("tokenizer.json")) << error.where();
    return error.problem();
  }
  return "";
}

TEST(WordPieces, GivesTheIdsOfTheReference) {
  const auto pieces = WordPieces::load(golden_folder);
  EXPECT_EQ(pieces.size(), 106);
  expect_reference_ids(pieces);
}

TEST(WordPieces, ReadsVocabTxtToo) {
  const TemporaryFolder folder;
  fs::copy(golden_folder / "vocab.txt", folder.path() / "vocab.txt");
  expect_reference_ids(WordPieces::load(folder.path()));
}

TEST(WordPieces, DoesToTextWhatTheConfigBesideVocabTxtSays) {
  const TemporaryFolder folder;
  fs::copy(golden_folder / "vocab.txt", folder.path() / "vocab.txt");
  write_file(folder.path() / "tokenizer_config.json",
             R"({"do_lower_case": false, "unk_token": {"content": "[MASK]"}})");
  const auto pieces = WordPieces::load(folder.path());
  EXPECT_FALSE(pieces.lowercases());
  EXPECT_EQ(pieces.encode("The the", 10), (std::vector<int32_t>{2, 4, 76, 3}));
}

// tests/golden/word_pieces: all-MiniLM-L6-v2 on difficult texts, long texts and pairs.
void expect_ids_of_minilm(const WordPieces& pieces) {
  std::ifstream in(golden_folder / "../word_pieces/texts.json");
  const json golden = json::parse(in);
  const auto ids = [](const json& record) { return record.at("ids").get<std::vector<int32_t>>(); };
  const auto encode = [&](const json& text, size_t most) { return pieces.encode(text.get<std::string>(), most); };
  for (const json& record : golden.at("wordpiece")) {
    auto wanted = ids(record);
    // Special pieces in texts are never recognized: [MASK] is three pieces.
    if (record.at("text") == "[MASK] [mask]") wanted = {101, 1031, 7308, 1033, 1031, 7308, 1033, 102};
    EXPECT_EQ(encode(record.at("text"), 1000), wanted) << record.at("text");
  }
  for (const json& record : golden.at("sentences")) {
    EXPECT_EQ(encode(record.at("text"), 256), ids(record)) << record.at("text");
    EXPECT_EQ(encode(record.at("text"), 1000).size(), record.at("tokens_before_truncation")) << record.at("text");
  }
  for (const json& record : golden.at("pairs")) {
    auto both = encode(record.at("first"), 1000);
    const auto second = encode(record.at("second"), 1000);
    both.insert(both.end(), second.begin() + 1, second.end());
    EXPECT_EQ(both, ids(record)) << record;
  }
}

TEST(WordPieces, GivesTheIdsOfMiniLM) { expect_ids_of_minilm(WordPieces::load(golden_folder / "../word_pieces")); }

TEST(WordPieces, GivesTheIdsOfMiniLMWithItsWholeVocabulary) {
  const char* folder = std::getenv("COMPEER_TEST_MINILM");
  if (!folder) GTEST_SKIP() << "COMPEER_TEST_MINILM names no folder of all-MiniLM-L6-v2";
  expect_ids_of_minilm(WordPieces::load(folder));
}

TEST(WordPieces, CutsTextsThatAreTooLong) {
  const auto pieces = WordPieces::load(golden_folder);
  EXPECT_EQ(pieces.encode("the the you", 4), (std::vector<int32_t>{2, 76, 76, 3}));
  EXPECT_EQ(pieces.encode("the unhappy", 4), (std::vector<int32_t>{2, 76, 86, 3})) << "within a word, too";
  EXPECT_EQ(pieces.encode("the", 2), (std::vector<int32_t>{2, 3}));
  EXPECT_EQ(pieces.encode("the the you", 5), pieces.encode("the the you", 100));
}

TEST(WordPieces, NeverRecognisesSpecialPiecesInText) {
  const auto ids = WordPieces::load(golden_folder).encode("[SEP]", 100);
  EXPECT_EQ(std::count(ids.begin(), ids.end(), 3), 1) << "the end's own";
}

TEST(WordPieces, NamesWhatItCantDo) {
  EXPECT_EQ(refused([](json& t) { t["model"]["type"] = "Unigram"; }), "model 'Unigram' is not supported");
  EXPECT_EQ(refused([](json& t) { t["normalizer"] = nullptr; }), "normalizer '' is not supported");
  EXPECT_EQ(refused([](json& t) { t["pre_tokenizer"]["type"] = "Metaspace"; }),
            "pre_tokenizer 'Metaspace' is not supported");
  EXPECT_EQ(refused([](json& t) { t["model"]["vocab"].erase("[CLS]"); }), "its vocabulary has no '[CLS]'");
  EXPECT_TRUE(refused([](json& t) { t.erase("model"); }).starts_with("has unexpected contents: "));
  const auto longest_word = [](const json& longest) {
    return refused([&](json& t) { t["model"]["max_input_chars_per_word"] = longest; });
  };
  EXPECT_EQ(longest_word(-5), "max_input_chars_per_word -5 is not supported");
  EXPECT_TRUE(longest_word(-1e54).ends_with("type must be a whole number, but is -1e+54")) << longest_word(-1e54);
  EXPECT_EQ(refused([](json&) {}), "");
}

TEST(WordPieces, SaysWhatFilesItLooksFor) {
  const TemporaryFolder folder;
  try {
    WordPieces::load(folder.path());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "contains no BERT tokenizer");
    EXPECT_EQ(error.help(), "add tokenizer.json or vocab.txt");
  }
}

}  // namespace
}  // namespace compeer::language
