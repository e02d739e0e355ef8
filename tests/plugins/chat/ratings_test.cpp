#include "chat/esc_world/counterpart.h"

#include <gtest/gtest.h>

namespace compeer::esc_world {
namespace {

/// Angry about the boss, early on, of a steady style. Good here: reflection, question, restatement.
Seeker seeker() {
  Seeker seeker;
  seeker.subject = 0;
  seeker.stage = Stage::exploration;
  seeker.emotion = Emotion::anger;
  seeker.style = Style::steadiness;
  return seeker;
}

std::vector<Round> rounds(const std::vector<std::string>& replies) {
  std::vector<Round> all;
  EarlierReplies said;
  for (const auto& reply : replies) {
    Round round{{"en", seeker(), said, {}}, "", {read(reply, english()), {}, 0}};
    if (round.heard.reply) {
      for (const Sentence& sentence : round.heard.reply->sentences) round.heard.keys.push_back(key(sentence));
      round.heard.felt = felt(*round.heard.reply, seeker(), said, {});
    }
    said.push_back(round.heard.keys);
    all.push_back(round);
  }
  return all;
}

const std::string best = "i hear your anger. what happened with your boss? there is no rush.";
const std::string other = "that sounds unfair. so your boss has been on your mind a lot. we can go slowly.";
const std::string worst =
    "i hear your hope. you could write down your thoughts about your dog. the data shows progress.";
const std::string unknown = "potato.";

TEST(Ratings, OfTheBestAreFour) {
  for (const auto dimension : dimensions) {
    EXPECT_DOUBLE_EQ(rating(dimension, rounds({best})), 1) << dimension;
    EXPECT_NEAR(rating(dimension, rounds({best, other})), 1, 1e-12) << dimension;
  }
}

TEST(Ratings, OfWhatTheGrammarDoesNotKnowAreZero) {
  for (const auto dimension : dimensions) {
    EXPECT_EQ(rating(dimension, rounds({unknown, unknown})), 0) << dimension;
    EXPECT_EQ(rating(dimension, rounds({unknown})), 0) << dimension;
    EXPECT_EQ(rating(dimension, {}), 0) << dimension;
  }
}

TEST(Ratings, OfTheWorst) {
  const auto all = rounds({worst});
  EXPECT_EQ(rating("fluency", all), 1);
  EXPECT_EQ(rating("empathic", all), 0) << "another emotion";
  EXPECT_EQ(rating("suggestion", all), 0.5) << "an act, about another subject";
  EXPECT_EQ(rating("human", all), 0) << "artificial";
  EXPECT_EQ(rating("tech", all), 0) << "early advice";
  EXPECT_EQ(rating("overall", all), 0);
}

TEST(Ratings, AreMeansOverReplies) {
  const auto all = rounds({best, "i am here for you. you are not alone.", "what happened with this?", unknown});
  EXPECT_DOUBLE_EQ(rating("fluency", all), 3.0 / 4);
  EXPECT_DOUBLE_EQ(rating("empathic", all), (1 + 0.5 + 0.25) / 4);
  EXPECT_DOUBLE_EQ(rating("suggestion", all), (1 + 0 + 0.625) / 4);
  EXPECT_DOUBLE_EQ(rating("human", all), (1 + 0.5 + 0.5) / 4);
  EXPECT_DOUBLE_EQ(rating("tech", all), (1.0 + 0 + 1) / 4);
  // The question comes in the same words as in the first reply: one repeat, 0.7 of 0.5.
  EXPECT_NEAR(rating("overall", all), (1 + 0.67 + 0.35) / 4, 1e-12);
  // Comfort: two new sentences and a new manner. The question: neither is new.
  EXPECT_DOUBLE_EQ(rating("diversity", all), (1.0 + 0 + 0) / 3);
}

TEST(Ratings, OfVarietyCountSentencesAndStrategiesApart) {
  EXPECT_EQ(rating("diversity", rounds({best, best})), 0);
  EXPECT_DOUBLE_EQ(rating("diversity", rounds({best, "what happened with your dog? we can go slowly."})), 0.25)
      << "one of two sentences is new, the subject apart";
  EXPECT_DOUBLE_EQ(rating("diversity", rounds({best, "how long has this been like this?"})), 0.5)
      << "other words, the same strategy";
}

TEST(Ratings, AreSaidAsTheNearestOfFive) {
  EXPECT_EQ(score_of(0), 0);
  EXPECT_EQ(score_of(0.12), 0);
  EXPECT_EQ(score_of(0.125), 1);
  EXPECT_EQ(score_of(0.5), 2);
  EXPECT_EQ(score_of(0.874), 3);
  EXPECT_EQ(score_of(1), 4);
}

TEST(Ratings, KnowSevenDimensions) { EXPECT_THROW(rating("fluecy", {}), std::invalid_argument); }

}  // namespace
}  // namespace compeer::esc_world
