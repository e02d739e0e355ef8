#include "evaluating/esc_eval/transcript.h"

#include <gtest/gtest.h>

namespace compeer::evaluating::esc_eval {
namespace {

using nlohmann::json;

TEST(Card, IsOursOrAPublishedOne) {
  EXPECT_EQ(card_of({{"card", " Problem: work\n"}}).text, "Problem: work");
  const auto one = card_of({{"base", "Age: 30\n\nGender: male\nOccupation: cook\n\nProblem: no sleep"}});
  EXPECT_EQ(one.refusal, "");
  EXPECT_TRUE(one.missing.empty());
  EXPECT_TRUE(card_of({{"base", "年龄：青年\n性别：女\n职业：学生\n问题：考试"}}).missing.empty());
}

TEST(Card, SaysWhichFieldIsMissing) {
  const auto nameless = card_of({{"base", "Age: \nOccupation: cook\nProblem: no sleep"}});
  EXPECT_EQ(nameless.refusal, "");
  EXPECT_EQ(nameless.missing, (std::vector<std::string>{"Age", "Gender"}));
  EXPECT_EQ(card_of({{"base", "Age: 30\nGender: male\nOccupation: cook\nProblem:"}}).refusal,
            "a card without a problem");
  EXPECT_EQ(card_of({{"id", "a"}, {"card", " "}}).refusal, "no 'card' (published ones: 'base')");
  EXPECT_EQ(card_of({{"base", 3}}).refusal, "no 'card' (published ones: 'base')");
}

TEST(Language, IsSaidOrShown) {
  EXPECT_EQ(language_of({{"language", "english"}}, "我"), "en");
  EXPECT_EQ(language_of({{"language", "Chinese"}}, "I"), "zh");
  EXPECT_EQ(language_of({{"language", "zh-CN"}}, "I"), "zh");
  EXPECT_EQ(language_of({}, "我很难过"), "zh");
  EXPECT_EQ(language_of({{"language", ""}}, "I am sad"), "en");
}

TEST(Transcript, HasNoSystemTurn) {
  const auto made = transcript_of({{"turns",
                                    {{{"role", "system"}, {"text", "You are an expert."}},
                                     {{"role", "user"}, {"text", "I am sad."}},
                                     {{"role", "assistant"}, {"text", "Why?"}}}}});
  EXPECT_EQ(made.refusal, "");
  EXPECT_EQ(made.turns.size(), 2u);
  EXPECT_EQ(shown_turns(made)[0].text, "I am sad.");
}

TEST(Transcript, IsReadFromPublishedLines) {
  const json record = {{"lines",
                        {"AI assistant：Hello, tell me: what is it?", "ESC-Role：I am sad.",
                         "AI assistant：Why?\n\n1. So?", "ESC-Role:It is late."}}};
  ASSERT_TRUE(is_recorded(record));
  const auto made = transcript_of(record);
  EXPECT_EQ(made.refusal, "");
  EXPECT_EQ(made.greeting, "Hello, tell me: what is it?");
  EXPECT_EQ(made.turns, (json{{{"role", "user"}, {"text", "I am sad."}},
                              {{"role", "assistant"}, {"text", "Why?\n\n1. So?"}},
                              {{"role", "user"}, {"text", "It is late."}}}));
  EXPECT_EQ(rounds_of(made.turns), 1u);
  EXPECT_TRUE(ends_with_seeker(made.turns));
  const auto shown = shown_turns(made);
  ASSERT_EQ(shown.size(), 4u);
  EXPECT_EQ(shown[0].role, "assistant");
  EXPECT_EQ(shown[0].text, "Hello, tell me: what is it?");
}

TEST(Transcript, OfTurnsKeepsWhatElseTheyHold) {
  const json turns = {{{"role", "user"}, {"text", "I am sad."}},
                      {{"role", "assistant"}, {"text", "Why?"}, {"steps", {{"history", "h"}}}}};
  const auto made = transcript_of({{"turns", turns}, {"greeting", "Hi."}});
  EXPECT_EQ(made.turns, turns);
  EXPECT_EQ(made.greeting, "Hi.");
  EXPECT_FALSE(is_recorded({{"turns", json::array()}}));
}

TEST(Transcript, SaysWhyItCanNotBeJudged) {
  const auto refusal = [](const json& record) { return transcript_of(record).refusal; };
  EXPECT_EQ(refusal({{"lines", {"Mother：Sleep well."}}}), "a line without a speaker");
  EXPECT_EQ(refusal({{"lines", {3}}}), "a line without a speaker");
  EXPECT_EQ(refusal({{"lines", "AI assistant：Hi"}}), "no list of what was said");
  EXPECT_EQ(refusal({{"lines", {"AI assistant：Hello", "ESC-Role：I am sad."}}}), "nobody answers the seeker");
  EXPECT_EQ(refusal({{"lines", json::array()}}), "nobody answers the seeker");
  EXPECT_EQ(refusal({{"turns", {{{"role", "seeker"}, {"text", "I am sad."}}}}}), "a turn without a role or a text");
  EXPECT_EQ(refusal({{"turns", {{{"role", "user"}}}}}), "a turn without a role or a text");
}

}  // namespace
}  // namespace compeer::evaluating::esc_eval
