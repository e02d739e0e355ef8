#include "datasets/esc_world/world/quality.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace compeer::esc_world {
namespace {

const Lexicon& words = english();

/// Angry about the boss, early on, of a steady style. Good here: reflection (2 + 1 + 1), question (3), restatement (2 +
/// 1).
Seeker seeker() {
  Seeker seeker;
  seeker.subject = 0;
  seeker.stage = Stage::exploration;
  seeker.emotion = Emotion::anger;
  seeker.style = Style::steadiness;
  return seeker;
}

double of(const std::string& text, std::optional<Strategy> announced, const EarlierReplies& said = {}) {
  const auto reply = read(text, words);
  EXPECT_TRUE(reply) << text;
  return reply ? quality(*reply, announced, seeker(), said, Feelings{}) : -1;
}

TEST(Strategies, AreASumOfThreeTables) {
  EXPECT_EQ(help(Strategy::reflection, Stage::exploration, Emotion::anger, Style::steadiness), 2 + 1 + 1);
  EXPECT_EQ(help(Strategy::question, Stage::exploration, Emotion::shame, Style::dominance), 3 - 2 + 1);
}

TEST(Strategies, ThreeAreGoodInEveryStateAndAllEightSomewhere) {
  std::set<Strategy> somewhere;
  std::set<std::vector<Strategy>> sets;
  for (Stage stage : empathy::stages) {
    for (Emotion emotion : empathy::emotions) {
      for (Style style : styles) {
        const auto good = good_strategies(stage, emotion, style);
        EXPECT_EQ(good.size(), 3u);
        for (Strategy strategy : good) EXPECT_EQ(fit(strategy, stage, emotion, style), 1.0);
        somewhere.insert(good.begin(), good.end());
        sets.insert(good);
      }
    }
  }
  EXPECT_EQ(somewhere.size(), 8u);
  EXPECT_GT(sets.size(), 30u);  // emotion and style matter, not the stage alone
}

TEST(Strategies, EarlyAdviceIsNeverGood) {
  for (Emotion emotion : empathy::emotions) {
    for (Style style : styles) EXPECT_LT(fit(Strategy::suggestion, Stage::exploration, emotion, style), 1.0);
  }
}

TEST(Quality, IsOneForAFittingReply) {
  const std::string text = "i hear your anger. what happened with your boss? there is no rush.";
  EXPECT_DOUBLE_EQ(of(text, Strategy::question), 1.0);
}

TEST(Quality, IsTheSumOfItsParts) {
  // Each differs from the fitting reply in one part.
  const auto question = Strategy::question;
  EXPECT_DOUBLE_EQ(
      of("i hear your anger. try to talk to a friend about your boss. there is no rush.", Strategy::suggestion),
      1 - 0.35);
  EXPECT_DOUBLE_EQ(of("i hear your anger. what happened with your boss? there is no rush.", std::nullopt), 1 - 0.15);
  EXPECT_DOUBLE_EQ(of("i hear your anger. what happened with this? there is no rush.", question), 1 - 0.75 * 0.20);
  EXPECT_DOUBLE_EQ(of("i hear your anger. what happened with your team? there is no rush.", question), 1 - 0.20);
  EXPECT_DOUBLE_EQ(of("i hear you. what happened with your boss? there is no rush.", question), 1 - 0.5 * 0.20);
  EXPECT_DOUBLE_EQ(of("what happened with your boss? there is no rush.", question), 1 - 0.75 * 0.20);
  EXPECT_DOUBLE_EQ(of("i hear your hope. what happened with your boss? there is no rush.", question), 1 - 0.20);
  EXPECT_DOUBLE_EQ(of("i hear your anger. what happened with your boss?", question), 1 - 0.5 * 0.10);
  EXPECT_DOUBLE_EQ(of("i hear your anger. what happened with your boss? let us be exact.", question), 1 - 0.10);
}

TEST(Quality, OneSentenceIsTooShortAndArtificialToneHurts) {
  // 0.35 + 0.15 + 0.20 + 0.25 * 0.20 + 0.5 * 0.10 = 0.8
  EXPECT_DOUBLE_EQ(of("what happened with your boss?", Strategy::question), 0.8 * 0.85);
  // 0.9 without the style
  EXPECT_DOUBLE_EQ(
      of("i hear your anger. what happened with your boss? your message was received.", Strategy::question), 0.9 * 0.8);
}

TEST(Quality, NearMissesCountInPart) {
  // Ranks 4 and 5 for this seeker: disclosure, affirmation (1 each, with +1 -1 = 1), others (1).
  EXPECT_EQ(fit(Strategy::disclosure, Stage::exploration, Emotion::anger, Style::steadiness), 0.4);
  EXPECT_EQ(fit(Strategy::information, Stage::exploration, Emotion::anger, Style::steadiness), 0.0);
}

TEST(Quality, GenericComfortIsSafeQualityNearlyAnywhere) {
  const auto safe = read("i hear you. you are not alone. i am here for you.", words);
  ASSERT_TRUE(safe && safe->safe());
  for (Stage stage : empathy::stages) {
    for (Emotion emotion : empathy::emotions) {
      for (Style style : styles) {
        Seeker any = seeker();
        any.stage = stage, any.emotion = emotion, any.style = style;
        const bool wants_more = stage == Stage::action && style == Style::dominance;
        EXPECT_DOUBLE_EQ(quality(*safe, std::nullopt, any, {}, Feelings{}), wants_more ? 0.335 : 0.67);
      }
    }
  }
}

TEST(Quality, GoodRepliesOfAllKindsAreEquallyGood) {
  // Three strategies, all their phrases, attunements, tails and orders: diversity costs nothing by itself.
  std::set<std::string> texts;
  for (Strategy strategy : good_strategies(seeker().stage, seeker().emotion, seeker().style)) {
    const int act = static_cast<int>(strategy);
    for (int phrase = 0; phrase < static_cast<int>(words.acts[static_cast<size_t>(act)].size()); ++phrase) {
      for (int attunement = 0; attunement < 4; ++attunement) {
        for (int tail = 0; tail < 4; ++tail) {
          const Sentence a{Part::attunement, static_cast<int>(Emotion::anger), attunement},
              b{Part::act, act, phrase, 0}, c{Part::tail, static_cast<int>(Style::steadiness), tail};
          for (const Reply& reply : {Reply{{a, b, c}}, Reply{{b, a, c}}, Reply{{a, c, b}}}) {
            EXPECT_DOUBLE_EQ(quality(reply, strategy, seeker(), {}, Feelings{}), 1.0);
            texts.insert(say(reply, words));
          }
        }
      }
    }
  }
  EXPECT_EQ(texts.size(), 3u * 6 * 4 * 4 * 3);
}

TEST(Habituation, RepeatsCountStrategyAndSentences) {
  const auto reply = read("i hear your anger. what happened with your boss?", words);
  EXPECT_DOUBLE_EQ(repeats(*reply, {}), 0.0);
  EXPECT_DOUBLE_EQ(repeats(*reply, {{"act/suggestion/0", "attunement/anger/1"}}), 0.0);
  EXPECT_DOUBLE_EQ(repeats(*reply, {{"act/question/4"}}), 0.5);                        // other words, same strategy
  EXPECT_DOUBLE_EQ(repeats(*reply, {{"act/question/0"}}), 1.0);                        // same words
  EXPECT_DOUBLE_EQ(repeats(*reply, {{"act/question/0", "attunement/anger/0"}}), 1.5);  // the whole reply
  EXPECT_DOUBLE_EQ(repeats(*reply, {{"attunement/anger/0"}, {}, {"act/question/1"}}), 1.0);
}

TEST(Habituation, SafeRepliesWearOutTogether) {
  const auto safe = read("i hear you. you are not alone.", words);
  EXPECT_DOUBLE_EQ(repeats(*safe, {{"safe/0", "safe/3"}}), 0.5);
  EXPECT_DOUBLE_EQ(repeats(*safe, {{"safe/2", "safe/1"}}), 1.5);
  EXPECT_DOUBLE_EQ(repeats(*safe, {{"act/question/0", "safe/2"}}), 0.5);  // the sentence alone
}

TEST(Habituation, LowersQualityOfRepeatsMoreEachTime) {
  const std::string text = "i hear your anger. what happened with your boss? there is no rush.";
  const std::vector<std::string> same = {"attunement/anger/0", "act/question/0", "tail/steadiness/1"};
  const double once = of(text, Strategy::question, {same}), twice = of(text, Strategy::question, {same, same});
  EXPECT_DOUBLE_EQ(once, std::pow(0.7, 2.0));
  EXPECT_DOUBLE_EQ(twice, std::pow(0.7, 4.0));
}

double felt_of(const std::string& text, const EarlierReplies& said = {}) {
  const auto reply = read(text, words);
  EXPECT_TRUE(reply) << text;
  return reply ? felt(*reply, seeker(), said, Feelings{}) : -1;
}

TEST(Felt, IsQualityWithoutWhatWasAnnounced) {
  const std::string best = "i hear your anger. what happened with your boss? there is no rush.";
  EXPECT_DOUBLE_EQ(felt_of(best), 1.0);
  // One sentence: 0.85 (0.35 + 0.20 / 4 + 0.20 / 4 + 0.10 / 2) / 0.85.
  EXPECT_DOUBLE_EQ(felt_of("what happened with this?"), 0.5);
  // The same strategy and the same three sentences: 2 repeats, 0.7 ^ 2.
  EXPECT_NEAR(felt_of(best, {{"attunement/anger/0", "act/question/0", "tail/steadiness/1"}}), 0.49, 1e-12);
}

TEST(Felt, OfASafeReplyIsItsQuality) { EXPECT_DOUBLE_EQ(felt_of("i am here for you. you are not alone."), 0.67); }

}  // namespace
}  // namespace compeer::esc_world
