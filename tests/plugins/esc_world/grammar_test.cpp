#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "datasets/esc_world/world/draw.h"
#include "datasets/esc_world/world/lexicon.h"
#include "datasets/esc_world/world/reply.h"

namespace compeer::esc_world {
namespace {

const Lexicon& words = english();

/// Any sentence of the lexicon, each kind equally often.
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
  EXPECT_FALSE(read("what happened with your?", words));                // nothing in the slot
  EXPECT_FALSE(read("what happened with your banana?", words));         // no subject of the world
  EXPECT_FALSE(read("what happened happened with your boss?", words));  // doubled word
  EXPECT_FALSE(read("What happened with your boss?", words));           // another letter
  EXPECT_FALSE(read("what happened with your boss? i hear you", words));
}

TEST(Grammar, AReplyHasOneToThreeSentencesOneOfAKind) {
  EXPECT_TRUE(read("what happened with your boss?", words));
  EXPECT_FALSE(read("what happened with your boss? when did this start to hurt?", words));  // two acts
  EXPECT_FALSE(read("i hear your anger. that sounds unfair.", words));                      // two attunements
  EXPECT_FALSE(read("i hear you. i hear you.", words));                                     // said twice
  EXPECT_FALSE(read("there is no rush.", words));                                           // a tail alone
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
