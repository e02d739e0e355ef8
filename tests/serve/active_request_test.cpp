#include "serve/active_request.h"

#include <gtest/gtest.h>

#include <cmath>

#include "places.h"

namespace compeer::serve {
namespace {

using Ids = std::vector<int32_t>;

ChoiceConstraint guide_of(std::vector<Ids> sequences, Ids ends) {
  return {std::make_shared<const std::vector<Ids>>(std::move(sequences)), std::move(ends)};
}

TEST(ChoiceConstraint, AllowsWhatSomeSequenceGoesOnWith) {
  auto guide = guide_of({{1, 2, 3}, {1, 4}, {5}}, {9});
  EXPECT_EQ(guide.allowed(), (Ids{1, 5}));
  EXPECT_FALSE(guide.push(1));
  EXPECT_EQ(guide.allowed(), (Ids{2, 4}));
  EXPECT_FALSE(guide.push(2));
  EXPECT_EQ(guide.allowed(), (Ids{3}));
  EXPECT_TRUE(guide.push(3));
}

TEST(ChoiceConstraint, EndsAtOnceWhereNothingElseCanFollow) { EXPECT_TRUE(guide_of({{5}, {1, 2}}, {9}).push(5)); }

TEST(ChoiceConstraint, AsksForAnEndBehindWhatOthersGoOnFrom) {
  auto guide = guide_of({{1}, {1, 2}}, {9, 8});
  EXPECT_FALSE(guide.push(1));
  EXPECT_EQ(guide.allowed(), (Ids{2, 8, 9}));
  EXPECT_TRUE(guide.push(2));
}

class Growing : public testing::Test {
 protected:
  const language::Tokenizer tokenizer =
      language::Tokenizer::load(COMPEER_SOURCE_DIR "/plugins/datasets/esc_world/tokenizer");

  // Returns the text pieces that a streaming client receives until the completion ends.
  std::vector<std::string> pieces(const std::string& text, const std::vector<std::string>& stop) const {
    return pieces(tokenizer, text, stop);
  }
  static std::vector<std::string> pieces(const language::Tokenizer& tokenizer, const std::string& text,
                                         const std::vector<std::string>& stop) {
    GrowingCompletion growing(tokenizer, wanted({.stop = stop, .choices = {}}));
    std::vector<std::string> all;
    for (const int32_t id : tokenizer.encode(text)) {
      const bool over = growing.push(id);
      all.push_back(growing.take().text);
      if (over) break;
    }
    all.push_back(growing.finish().text);
    return all;
  }
  std::string whole(const std::string& text, const std::vector<std::string>& stop) const {
    std::string all;
    for (const auto& piece : pieces(text, stop)) all += piece;
    return all;
  }

  // Returns a row of logits: the given ones, and equally low values for all other tokens.
  std::vector<float> row(const std::vector<std::pair<int32_t, float>>& some) const {
    std::vector<float> logits(static_cast<size_t>(tokenizer.size()), -50.0f);
    for (const auto& [id, logit] : some) logits[static_cast<size_t>(id)] = logit;
    return logits;
  }
  static std::shared_ptr<const CompletionOptions> wanted(CompletionOptions options) {
    return std::make_shared<const CompletionOptions>(std::move(options));
  }
  static nlohmann::json told(const CompletionDelta& said) { return nlohmann::json::parse("[" + said.log_probs + "]"); }
  int32_t id(const std::string& text) const { return tokenizer.encode(text).at(0); }
};

TEST_F(Growing, GivesTheTextUpToTheFirstStop) {
  EXPECT_EQ(whole("I am sad and tired.", {}), "I am sad and tired.");
  EXPECT_EQ(whole("I am sad and tired.", {"tired", " and"}), "I am sad");
  EXPECT_EQ(whole("I am sad and tired.", {"I"}), "");
  EXPECT_EQ(whole("I am sad and", {" and tired"}), "I am sad and");
}

// With byte tokens a stop string may end with such a token; the answer ends there without waiting for more bytes.
TEST_F(Growing, StopsAtTheLastByteOfAStop) {
  const auto llama = language::Tokenizer::load(COMPEER_SOURCE_DIR "/tests/golden/sentencepiece");
  const std::string smile = "\xF0\x9F\x99\x82";
  EXPECT_EQ(pieces(llama, "I" + smile + "x", {smile}), (std::vector<std::string>{"I", "", "", "", "", ""}));
  EXPECT_EQ(pieces(llama, "I feel" + smile + smile, {"feel" + smile}).size(), 7u);
  EXPECT_EQ(pieces(llama, "I" + smile, {"x"}), (std::vector<std::string>{"I", "", "", "", "", smile}));
}

TEST_F(Growing, NeverGivesOutWhatAStopMayBeginWith) {
  std::string so_far;
  for (const auto& piece : pieces("so so sad so sad and gone", {"so sad and"})) {
    so_far += piece;
    EXPECT_TRUE(std::string("so so sad ").starts_with(so_far)) << so_far;
  }
  EXPECT_EQ(so_far, "so so sad ");
}

TEST_F(Growing, TellsTheModelsOwnLogProbs) {
  GrowingCompletion growing(tokenizer, wanted({.stop = {}, .choices = {}, .log_probs = true, .top_logprobs = 2}));
  // p = 1/2, 1/4, 1/4 of these three
  auto logits = row({{id("a"), std::log(2.0f)}, {id("b"), 0}, {id("c"), 0}});
  growing.constrain(logits);
  growing.push(id("c"));
  const auto tokens = told(growing.take());
  ASSERT_EQ(tokens.size(), 1u);
  EXPECT_EQ(tokens[0]["token"], "c");
  EXPECT_NEAR(tokens[0]["logprob"].get<double>(), std::log(0.25), 1e-6);
  const auto& likely = tokens[0]["top_logprobs"];
  ASSERT_EQ(likely.size(), 2u);
  EXPECT_EQ(likely[0]["token"], "a");
  EXPECT_NEAR(likely[0]["logprob"].get<double>(), std::log(0.5), 1e-6);
  EXPECT_EQ(likely[1]["token"], "b");
}

TEST_F(Growing, IsHeldToItsChoices) {
  using Sequences = std::vector<std::vector<int32_t>>;
  const ChoiceConstraint guide(std::make_shared<const Sequences>(Sequences{{id("a")}, {id("b"), id("c")}}),
                               {tokenizer.end_token()});
  GrowingCompletion growing(tokenizer, wanted({.stop = {}, .choices = guide, .log_probs = true, .top_logprobs = 20}));
  auto logits = row({{id("c"), 9}, {id("a"), std::log(3.0f)}, {id("b"), 0}});
  growing.constrain(logits);
  for (const auto one : {id("c"), tokenizer.end_token()}) EXPECT_LT(logits[static_cast<size_t>(one)], -1e20f);
  EXPECT_EQ(logits[static_cast<size_t>(id("b"))], 0.0f);
  EXPECT_FALSE(growing.push(id("b")));
  const auto tokens = told(growing.take());
  // Relative to the allowed tokens: 3/4 and 1/4.
  EXPECT_NEAR(tokens[0]["logprob"].get<double>(), std::log(0.25), 1e-6);
  ASSERT_EQ(tokens[0]["top_logprobs"].size(), 2u);
  EXPECT_NEAR(tokens[0]["top_logprobs"][0]["logprob"].get<double>(), std::log(0.75), 1e-6);
  logits = row({});
  growing.constrain(logits);
  EXPECT_TRUE(growing.push(id("c")));
}

}  // namespace
}  // namespace compeer::serve
