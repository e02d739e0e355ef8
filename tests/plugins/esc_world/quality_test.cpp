#include "datasets/esc_world/world/quality.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "datasets/esc_world/world/draw.h"
#include "datasets/esc_world/world/lexicon.h"
#include "datasets/esc_world/world/reply.h"

namespace compeer::esc_world {
namespace {

const Lexicon& words = english();

/// An angry seeker with a problem with the boss, in the first stage, with the style "steadiness". Good strategies:
/// reflection (2 + 1 + 1), question (3), restatement (2 + 1).
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
  return reply ? quality(*reply, announced, seeker(), said, QualitySettings{}) : -1;
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
  EXPECT_GT(sets.size(), 30u);  // emotion and style matter, not only the stage
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
  // Each reply differs from the best one in one part.
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
  // Ranks 4 and 5 for this seeker: disclosure and affirmation (1 each, with +1 -1 = 1), others (1).
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
        EXPECT_DOUBLE_EQ(quality(*safe, std::nullopt, any, {}, QualitySettings{}), wants_more ? 0.335 : 0.67);
      }
    }
  }
}

TEST(Quality, GoodRepliesOfAllKindsAreEquallyGood) {
  // Three strategies with all their phrases, attunements, tails and orders: diversity does not reduce the quality.
  std::set<std::string> texts;
  for (Strategy strategy : good_strategies(seeker().stage, seeker().emotion, seeker().style)) {
    const int act = static_cast<int>(strategy);
    for (int phrase = 0; phrase < static_cast<int>(words.acts[static_cast<size_t>(act)].size()); ++phrase) {
      for (int attunement = 0; attunement < 4; ++attunement) {
        for (int tail = 0; tail < 4; ++tail) {
          const Sentence a{Part::attunement, static_cast<int>(Emotion::anger), attunement},
              b{Part::act, act, phrase, 0}, c{Part::tail, static_cast<int>(Style::steadiness), tail};
          for (const Reply& reply : {Reply{{a, b, c}}, Reply{{b, a, c}}, Reply{{a, c, b}}}) {
            EXPECT_DOUBLE_EQ(quality(reply, strategy, seeker(), {}, QualitySettings{}), 1.0);
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
  EXPECT_DOUBLE_EQ(repeats(*safe, {{"act/question/0", "safe/2"}}), 0.5);  // only the sentence
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
  return reply ? felt(*reply, seeker(), said, QualitySettings{}) : -1;
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

/// Draws any sentence of the lexicon, each kind equally often.
Sentence any_sentence(Draw& draw) {
  const Part part = static_cast<Part>(draw.below(5));
  const auto of = [&](const auto& tables) {
    const size_t label = draw.below(tables.size());
    return Sentence{part, static_cast<int>(label), static_cast<int>(draw.below(tables[label].size()))};
  };
  if (part == Part::attunement) return of(words.attunements);
  if (part == Part::tail) return of(words.tails);
  if (part == Part::artificial) return {part, 0, static_cast<int>(draw.below(words.artificial.size()))};
  if (part == Part::safe) return {part, 0, static_cast<int>(draw.below(words.safe.size()))};
  Sentence act = of(words.acts);
  act.subject = static_cast<int>(draw.below(subjects + 1)) - 1;
  return act;
}

Reply any_reply(Draw& draw) {
  for (;;) {
    Reply reply;
    const size_t count = 1 + draw.below(3);
    for (size_t i = 0; i < count; ++i) reply.sentences.push_back(any_sentence(draw));
    if (grammatical(reply)) return reply;
  }
}

TEST(Grammar, WhatIsSaidIsReadBackExactly) {
  for (uint32_t i = 0; i < 4000; ++i) {
    Draw draw({7, 0, i, 0}, Purpose::answer);
    const Reply reply = any_reply(draw);
    const std::string text = say(reply, words);
    const auto back = read(text, words);
    ASSERT_TRUE(back) << text;
    ASSERT_EQ(*back, reply) << text;
  }
}

TEST(Grammar, NoTwoSentencesAreTheSame) {
  std::set<std::string> seen;
  const auto add = [&](const std::string& text) { EXPECT_TRUE(seen.insert(text).second) << text; };
  for (const auto& table : words.acts) {
    for (const auto& text : table) {
      EXPECT_NE(text.find("{s}"), std::string::npos) << text;
      add(text);
    }
  }
  for (const auto& table : words.attunements) std::for_each(table.begin(), table.end(), add);
  for (const auto& table : words.tails) std::for_each(table.begin(), table.end(), add);
  std::for_each(words.artificial.begin(), words.artificial.end(), add);
  std::for_each(words.safe.begin(), words.safe.end(), add);
}

TEST(Grammar, EveryTableIsFilled) {
  for (const auto& table : words.cues) EXPECT_GE(table.size(), 4u);
  for (const auto& table : words.stage_cues) EXPECT_GE(table.size(), 4u);
  for (const auto& table : words.markers) EXPECT_GE(table.size(), 3u);
  for (const auto& table : words.acts) EXPECT_GE(table.size(), 4u);
  for (const auto& table : words.attunements) EXPECT_GE(table.size(), 4u);
  for (const auto& table : words.tails) EXPECT_GE(table.size(), 4u);
  for (Emotion emotion : empathy::emotions) {
    EXPECT_TRUE(std::any_of(words.shared_cues.begin(), words.shared_cues.end(),
                            [&](const auto& cue) { return cue.first == emotion || cue.second == emotion; }));
  }
}

TEST(Grammar, WhiteSpaceBetweenSentencesDoesNotMatter) {
  EXPECT_EQ(read("  i hear you.   you are not alone.\n", words), read("i hear you. you are not alone.", words));
}

TEST(Grammar, AnythingElseIsUnknown) {
  EXPECT_FALSE(read("", words));
  EXPECT_FALSE(read("i hear you", words));                              // no end mark
  EXPECT_FALSE(read("i hear your.", words));                            // wrong word
  EXPECT_FALSE(read("what happened with your?", words));                // empty slot
  EXPECT_FALSE(read("what happened with your banana?", words));         // not a subject of the world
  EXPECT_FALSE(read("what happened happened with your boss?", words));  // doubled word
  EXPECT_FALSE(read("What happened with your boss?", words));           // wrong capital letter
  EXPECT_FALSE(read("what happened with your boss? i hear you", words));
}

TEST(Grammar, AReplyHasOneToThreeSentencesOneOfAKind) {
  EXPECT_TRUE(read("what happened with your boss?", words));
  EXPECT_FALSE(read("what happened with your boss? when did this start to hurt?", words));  // two acts
  EXPECT_FALSE(read("i hear your anger. that sounds unfair.", words));                      // two attunements
  EXPECT_FALSE(read("i hear you. i hear you.", words));                                     // the same sentence twice
  EXPECT_FALSE(read("there is no rush.", words));                                           // only a tail
  EXPECT_TRUE(read("i hear you. there is no rush.", words));
  EXPECT_FALSE(read("i hear you. you are not alone. i am here for you. everything will be okay.", words));
}

TEST(Grammar, ReadsActSubjectAndManner) {
  const auto reply = read("that sounds unfair. what happened with your old friend? there is no rush.", words);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->strategy(), Strategy::question);
  EXPECT_EQ(words.subject(reply->find(Part::act)->subject), "old friend");
  EXPECT_EQ(static_cast<Emotion>(reply->find(Part::attunement)->label), Emotion::anger);
  EXPECT_EQ(static_cast<Style>(reply->find(Part::tail)->label), Style::steadiness);
  EXPECT_FALSE(reply->safe());
  EXPECT_EQ(key(reply->sentences[0]), "attunement/anger/1");
  EXPECT_EQ(key(reply->sentences[1]), "act/question/0");
  EXPECT_EQ(key(reply->sentences[2]), "tail/steadiness/1");
}

TEST(Grammar, UnnamedSubjectReadsAsNone) {
  const auto reply = read("what happened with this?", words);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->find(Part::act)->subject, -1);
}

}  // namespace
}  // namespace compeer::esc_world
