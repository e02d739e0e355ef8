// The steps of tokenizer.json compared with the library tokenizers: one tokenizer with its file changed in many ways,
// and the library's results for texts and ids. See tests/golden/README.md.
#include <fmt/format.h>

#include "language/text_stream.h"
#include "language/tiny_tokenizer.h"
#include "places.h"

namespace compeer::language {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Ids = std::vector<int32_t>;

const fs::path golden_folder = fs::path(COMPEER_SOURCE_DIR) / "tests/golden";

json golden(const std::string& name) {
  std::ifstream in(golden_folder / name);
  return json::parse(in);
}

void expect_reference(const Tokenizer& tokenizer, const json& encode, const json& decode) {
  for (const json& record : encode) {
    const auto text = record.at("text").get<std::string>();
    const auto ids = record.at("ids").get<Ids>();
    EXPECT_EQ(tokenizer.encode(text, true), ids) << text;
    EXPECT_EQ(tokenizer.encode(text), record.value("ids_special_as_text", ids)) << text;
    EXPECT_EQ(tokenizer.decode(ids, true), record.value("decoded", text)) << text;
  }
  for (const json& record : decode) {
    const auto ids = record.at("ids").get<Ids>();
    EXPECT_EQ(tokenizer.decode(ids, true), record.at("text")) << json(ids);
    EXPECT_EQ(tokenizer.decode(ids), record.at("text_skip_special")) << json(ids);
  }
}

class Steps : public TinyTokenizer {
 protected:
  void expect_all(const std::string& of) {
    size_t count = 0;
    for (const json& variant : golden(of + "/variants.json")) {
      SCOPED_TRACE(variant.at("name"));
      load_changed(of, variant.at("changes"));
      expect_reference(load(), variant.at("encode"), variant.at("decode"));
      ++count;
    }
    EXPECT_GE(count, 17u);
  }
  Tokenizer load_changed(const std::string& of, const json& changes) {
    json file = golden(of + "/tokenizer.json");
    file.merge_patch(changes);
    write(file);
    return load();
  }
  // Returns the error for a changed file.
  std::string refused(const std::string& of, const json& changes) {
    json file = golden(of + "/tokenizer.json");
    file.merge_patch(changes);
    write(file);
    auto said = message();
    return said.substr(said.find("tokenizer.json: ") + 16);
  }
};

TEST_F(Steps, OfByteLevelTokenizersAgreeWithHuggingFace) { expect_all("byte_level"); }

TEST_F(Steps, OfSentencePieceAgreeWithHuggingFace) { expect_all("sentencepiece"); }

TEST_F(Steps, CountTheBytesThatVanish) {
  const auto lost = [&](const std::string& of, const std::string& name) {
    for (const json& variant : golden(of + "/variants.json")) {
      if (variant.at("name") == name) return load_changed(of, variant.at("changes")).lost_bytes();
    }
    return -1;
  };
  EXPECT_EQ(lost("byte_level", "gpt-2"), 0);
  EXPECT_EQ(lost("byte_level", "bytes without a token"), 7);
  EXPECT_EQ(lost("byte_level", "bytes without a token, an unknown token"), 0);
  EXPECT_EQ(lost("sentencepiece", "metaspace never"), 0);
  EXPECT_EQ(lost("sentencepiece", "some bytes without a token"), 0) << "they are unknown tokens";
  EXPECT_EQ(lost("sentencepiece", "bytes without a token, no unknown token"), 2);
  EXPECT_EQ(lost("sentencepiece", "no unknown token"), 256);
}

TEST_F(Steps, AreRefusedByName) {
  const auto step = [](const char* kind, const json& value) { return json{{kind, value}}; };
  const auto sentencepiece = [&](const json& changes) {
    const auto said = refused("sentencepiece", changes);
    return said.substr(0, said.find('\n'));
  };
  EXPECT_EQ(sentencepiece(step("normalizer", {{"type", "Precompiled"}})), "normalizer 'Precompiled' is not supported");
  EXPECT_EQ(sentencepiece(step("normalizer", {{"type", "Replace"}, {"pattern", {{"Regex", " +"}}}, {"content", "_"}})),
            "Replace with a pattern that is not a String is not supported");
  EXPECT_EQ(sentencepiece(step("normalizer", {{"type", "Replace"}, {"pattern", {{"String", ""}}}, {"content", "_"}})),
            "Replace of an empty String is not supported");
  EXPECT_EQ(
      sentencepiece(step("normalizer", {{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aaaaa"}})),
      "Replace that makes text more than 4 times as long is not supported");
  EXPECT_EQ(sentencepiece(step("pre_tokenizer", {{"type", "Whitespace"}})),
            "pre-tokenizer 'Whitespace' is not supported");
  EXPECT_EQ(sentencepiece(step("pre_tokenizer",
                               {{"type", "Split"}, {"pattern", {{"String", " "}}}, {"behavior", "MergedWithBoth"}})),
            "splitting with 'MergedWithBoth' is not supported");
  EXPECT_EQ(sentencepiece(
                step("pre_tokenizer", {{"type", "Metaspace"}, {"replacement", "_"}, {"prepend_scheme", "sometimes"}})),
            "Metaspace with the prepend_scheme 'sometimes' is not supported");
  EXPECT_EQ(
      sentencepiece(step(
          "pre_tokenizer",
          {{"type", "Metaspace"}, {"replacement", "_"}, {"prepend_scheme", "first"}, {"add_prefix_space", false}})),
      "Metaspace with the prepend_scheme 'first' and without add_prefix_space is not supported");
  EXPECT_EQ(sentencepiece(step("pre_tokenizer", {{"type", "Metaspace"}, {"replacement", "__"}})),
            "Metaspace with the replacement '__' is not supported");
  EXPECT_EQ(sentencepiece(step("decoder", nullptr)),
            "a tokenizer with neither ByteLevel nor a decoder is not supported");
  EXPECT_EQ(sentencepiece(step("decoder", {{"type", "WordPiece"}})), "decoder 'WordPiece' is not supported");
  EXPECT_EQ(sentencepiece(step("decoder", {{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}})),
            "decoder 'Strip' without 'Fuse' before it is not supported");
  EXPECT_EQ(refused("byte_level", {{"decoder", {{"type", "Fuse"}}}}).substr(0, 34),
            "decoder 'Fuse' is not supported\n  ");
}

TEST_F(Steps, NeedTheirOrderInDecoders) {
  json decoder = golden("sentencepiece/tokenizer.json").at("decoder");
  std::swap(decoder["decoders"][0], decoder["decoders"][1]);
  EXPECT_TRUE(refused("sentencepiece", {{"decoder", decoder}})
                  .starts_with("decoder 'Replace' after 'ByteFallback' is not supported"));
  std::swap(decoder["decoders"][0], decoder["decoders"][1]);
  decoder["decoders"][3]["stop"] = 1;
  EXPECT_TRUE(
      refused("sentencepiece", {{"decoder", decoder}})
          .starts_with("decoder Strip with the content ' ', 1 at the start and 1 at the stop is not supported"));
  decoder["decoders"][3]["stop"] = .5;
  EXPECT_NE(refused("sentencepiece", {{"decoder", decoder}}).find("type must be a whole number, but is 0.5"),
            std::string::npos);
}

TEST_F(Steps, NeedTheUnknownTokenWhereItMayOccur) {
  const json changes = {{"model", {{"unk_token", "<what>"}, {"byte_fallback", false}}}};
  EXPECT_TRUE(refused("sentencepiece", changes).starts_with("its unk_token '<what>' is not in the vocabulary"));
  EXPECT_EQ(load_changed("sentencepiece", {{"model", {{"unk_token", "<what>"}}}}).lost_bytes(), 0);
}

// A file like those of Llama 2, TinyLlama and Mistral.
const Tokenizer& llama() {
  static const Tokenizer loaded = Tokenizer::load(golden_folder / "sentencepiece");
  return loaded;
}

TEST(SentencePiece, AgreesWithHuggingFace) {
  expect_reference(llama(), golden("sentencepiece/encode.json"), golden("sentencepiece/decode.json"));
}

TEST(SentencePiece, AddsNoBeginningOfText) {
  EXPECT_EQ(llama().encode("", true), Ids{});
  EXPECT_NE(llama().encode("I feel sad", true).front(), llama().id("<s>"));
}

// Within user content no token is special; the template's tokens next to it are recognized.
TEST(SentencePiece, ReadsSpecialTokensOutsideOfSpansOnly) {
  const std::string text = "<s>[INST] I feel</s> sad[/INST]</s>";
  const size_t begin = text.find("I feel"), end = text.find("[/INST]");
  const ByteSpan content{begin, end};
  auto wanted = llama().encode("<s>[INST]", true);
  for (const int32_t id : llama().encode(" I feel</s> sad")) wanted.push_back(id);
  for (const int32_t id : llama().encode("[/INST]</s>", true)) wanted.push_back(id);
  EXPECT_EQ(llama().encode(text, {&content, 1}), wanted);
}

// The same for special tokens that are matched after normalization, which makes every space two bytes longer.
TEST_F(Steps, KeepSpansThroughTheNormalForm) {
  json tokens = golden("sentencepiece/tokenizer.json").at("added_tokens");
  for (json& token : tokens) token["normalized"] = true;
  tokens[1]["content"] = "<s> ";
  const auto tokenizer =
      load_changed("sentencepiece",
                   {{"added_tokens", tokens},
                    {"normalizer", {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "\xE2\x96\x81"}}},
                    {"model", {{"vocab", {{"<s>", nullptr}}}}}});
  const std::string text = "  <s>  <s> a<s> b <s> ";
  const ByteSpan content{text.find("<s> a"), text.find(" <s> ", 10)};
  const auto ids = tokenizer.encode(text, {&content, 1});
  EXPECT_EQ(std::count(ids.begin(), ids.end(), 1), 2) << json(ids);
  const ByteSpan space{5, 6};  // inside the first special token
  const auto other = tokenizer.encode(text, {&space, 1});
  EXPECT_EQ(std::count(other.begin(), other.end(), 1), 3) << json(other);
}

TEST(Normalizer, GrowsSpansThatEndWithinAReplacement) {
  Normalizer form;
  form.add_prefix("_");
  form.add_replacement({"bcd", "x"});
  form.add_replacement({"a", "yy"});
  std::vector<ByteSpan> spans{{0, 1}, {2, 3}, {4, 5}, {5, 9}};
  EXPECT_EQ(form.of("abcdebcda", spans), "_yyxexyy");
  EXPECT_EQ(spans, (std::vector<ByteSpan>{{1, 3}, {3, 4}, {4, 5}, {5, 8}}));
  EXPECT_EQ(form.of(""), "");
}

// Bytes of characters are held back until the first token that is not a byte: one more byte could make all of them
// invalid.
TEST(SentencePiece, StreamsAsDecodeDoes) {
  for (const json& record : golden("sentencepiece/decode.json")) {
    TextStream stream(llama(), true);
    std::string all;
    for (const int32_t id : record.at("ids").get<Ids>()) {
      const auto piece = stream.push(id);
      EXPECT_EQ(piece, valid_utf8(piece));
      all += piece;
    }
    EXPECT_EQ(all + stream.finish(), record.at("text"));
  }
  TextStream stream(llama());
  std::string all;
  const auto ids = llama().encode("I \xF0\x9F\x99\x82.");
  for (const int32_t id : ids) all += stream.push(id) + (id == ids.back() ? "" : "|");
  EXPECT_EQ(all, "I| |||||\xF0\x9F\x99\x82.");
}

TEST(SentencePiece, BeginsEachTextWithoutItsSpace) {
  TextStream stream(llama());
  const auto ids = llama().encode("I feel");
  for (int i = 0; i < 2; ++i) {
    std::string all;
    for (const int32_t id : ids) all += stream.push(id);
    EXPECT_EQ(all + stream.finish(), "I feel");
  }
  stream.push(llama().id("<s>"));  // not shown, so the text still begins with the next token
  EXPECT_EQ(stream.push(ids[0]), "I");
}

TEST(SentencePiece, StopsAtStringsOfBytes) {
  const auto ends_at = [](const std::string& text, const std::string& stop) {
    StopStrings stops(llama(), {stop});
    size_t n = 0;
    for (const int32_t id : llama().encode(text)) {
      ++n;
      if (stops.push(id)) return n;
    }
    return n + 100;
  };
  const std::string smile = "\xF0\x9F\x99\x82";
  EXPECT_EQ(ends_at(smile + "x", smile), 5u) << "with the last of its bytes";
  EXPECT_EQ(ends_at("I" + smile + smile, "I" + smile), 6u - 1);
  EXPECT_EQ(ends_at("I feel sad", "feel s"), 3u);
  EXPECT_GT(ends_at("I feel sad", smile), 100u);
}

TEST(SentencePiece, TakesLongTextsAsOneWord) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "I feel sad. ";
  const auto ids = llama().encode(text);
  EXPECT_EQ(llama().decode(ids), text);
}

}  // namespace
}  // namespace compeer::language
