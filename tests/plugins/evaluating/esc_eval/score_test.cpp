#include "evaluating/esc_eval/score.h"

#include <gtest/gtest.h>

#include "evaluating/esc_eval/summary.h"
#include "evaluating/esc_eval/transcript.h"

namespace compeer::evaluating::esc_eval {
namespace {

std::optional<int> strict(std::string_view answer) { return read_score(answer, Parser::strict); }
std::optional<int> upstream(std::string_view answer) { return read_score(answer, Parser::upstream); }

TEST(StrictParser, ReadsOneNumberAsPeopleWriteIt) {
  for (const char* three : {"3",
                            " 3\n",
                            "3.",
                            "**3**",
                            "**3**.",
                            "Score: 3",
                            "Fluency score：3",
                            "3/4",
                            "3 / 4.",
                            "3 out of 4",
                            "3 points",
                            "Score: **3/4**",
                            "(3)",
                            "[3]",
                            "\"3\"",
                            "３",
                            "3分",
                            "得分：3分。",
                            "我给3分。",
                            "3. It reads well.",
                            "3, all in all",
                            "Score: 3\nSome phrases come back.",
                            "3 - mostly varied",
                            "I would give it a 3",
                            "I would give it a 3.",
                            "The score is 3 out of 4!",
                            "<think>0 or 4? 4, no.</think>3",
                            "```json\n{\"score\": 3, \"reason\": \"It has 2 or 3 slips.\"}\n```",
                            "{\"score\": \"3/4\"}",
                            "```\n3\n```",
                            "3<|im_end|>",
                            "# Score\n3",
                            "3分（满分4分）",
                            "评分: 3（满分4分）",
                            "得分：3分，满分为4分。",
                            "3 points out of 4",
                            "3 (out of 4)",
                            "(3/4)",
                            "Rating: 3 (good)",
                            "3 (good).",
                            "3.0",
                            "Score: 3.0/4.0",
                            "3.00 points."}) {
    EXPECT_EQ(strict(three), 3) << three;
  }
  EXPECT_EQ(strict("0"), 0);
  EXPECT_EQ(strict("4 out of 4"), 4);
}

TEST(StrictParser, RefusesWhatIsNotOneScore) {
  for (const char* none : {"",
                           "good",
                           "4/10",
                           "3/5",
                           "3 or 4",
                           "2-3",
                           "3~4",
                           "3.5",
                           "-1",
                           "Score: -1",
                           "+3",
                           "5",
                           "10",
                           "13",
                           "30",
                           "3rd",
                           "GPT4",
                           "1.5 points",
                           "3 questions were asked",
                           "They asked 3 questions.",
                           "0-4: 3",
                           "3. I gave 4 before.",
                           "three",
                           "3 out of 10",
                           ".3",
                           "v3",
                           "3/",
                           "4 / 4 / 4",
                           "3%",
                           "50%",
                           "3分（满分10分）",
                           "3分（满分40分）",
                           "3 points out of 10",
                           "3 (2 in places)",
                           "They asked 3 (good) questions",
                           "3.05",
                           "3.0.1",
                           "4.0/10",
                           "4 / 4 points / 4"}) {
    EXPECT_EQ(strict(none), std::nullopt) << none;
  }
  EXPECT_EQ(strict(std::string(100000, ' ') + "3"), 3);
}

TEST(UpstreamParser, TakesTheFirstLabelThatOccursAnywhere) {
  EXPECT_EQ(upstream("3"), 3);
  EXPECT_EQ(upstream("4/10"), 0);
  EXPECT_EQ(upstream("Score: 3 out of 4"), 3);
  EXPECT_EQ(upstream("between 4 and 2"), 2);
  EXPECT_EQ(upstream("13"), 1);
  EXPECT_EQ(upstream("-1"), 1);
  EXPECT_EQ(upstream("5"), std::nullopt);
  EXPECT_EQ(upstream("３"), std::nullopt);
}

TEST(Parsers, HaveNames) {
  EXPECT_EQ(parser_of("strict"), Parser::strict);
  EXPECT_EQ(parser_of("upstream"), Parser::upstream);
}

using nlohmann::json;
constexpr auto none = std::nullopt;

ScoresByJudge read(const json& record, Parser parser = Parser::strict) {
  EXPECT_TRUE(is_judged(record));
  const auto made = recorded(record, parser);
  EXPECT_EQ(made.refusal, "");
  return made.judged;
}

TEST(RecordedScores, ScoresStandInTheRecordAsPublished) {
  const json record = {{"id", "0"},  {"fluency", 3}, {"diversity", 2}, {"empathic", -1}, {"suggestion", 0},
                       {"human", 4}, {"tech", 1},    {"overall", 2},   {"comment", "x"}};
  EXPECT_EQ(read(record), (ScoresByJudge{{"judge", {3, 2, none, 0, 4, 1, 2}}}));
}

TEST(RecordedScores, ScoresMayBeTextsOfWhichOneIsMissing) {
  const json record = {{"fluency", "3"},    {"diversity", "3"}, {"empathic", "3"},
                       {"suggestion", "3"}, {"human", "3"},     {"tech", "3"}};
  EXPECT_EQ(read(record), (ScoresByJudge{{"judge", {3, 3, 3, 3, 3, 3, none}}}));
}

TEST(RecordedScores, WhatIsNoScoreIsNone) {
  const json record = {{"scores",
                        {{"fluency", 5},
                         {"diversity", 2.5},
                         {"empathic", 3.0},
                         {"suggestion", nullptr},
                         {"human", true},
                         {"tech", "2"}}}};
  EXPECT_EQ(read(record), (ScoresByJudge{{"judge", {none, none, 3, none, none, 2, none}}})) << "overall is missing";
}

TEST(RecordedScores, JudgesHaveNames) {
  const json record = {{"scores", {{"rank", {{"fluency", 1}}}, {"chat", {{"fluency", "Score: 4"}}}}}};
  const auto all = read(record);
  EXPECT_EQ(all.at("rank")[0], 1);
  EXPECT_EQ(all.at("chat")[0], 4);
}

TEST(RecordedScores, AnswersAreReadAnewWhateverWasMadeOfThem) {
  const json record = {{"answers", {{"judge", {{"fluency", "4/10"}, {"tech", "2"}}}}},
                       {"scores", {{"judge", {{"fluency", 3}, {"tech", 3}}}}}};
  EXPECT_EQ(read(record).at("judge")[0], none);
  EXPECT_EQ(read(record).at("judge")[5], 2);
  EXPECT_EQ(read(record, Parser::upstream).at("judge")[0], 0);
}

TEST(RecordedScores, NamesWhatIsNoDimension) {
  EXPECT_EQ(recorded({{"scores", {{"fluecy", 3}}}}, Parser::strict).refusal,
            "'fluecy' is no dimension (known: fluency, diversity, empathic, suggestion, human, tech, overall)");
  EXPECT_EQ(recorded({{"scores", {3, 4}}}, Parser::strict).refusal,
            "no scores by dimension, nor by judge and dimension");
  EXPECT_EQ(recorded({{"scores", json::object()}}, Parser::strict).refusal,
            "no scores by dimension, nor by judge and dimension");
  EXPECT_FALSE(is_judged({{"id", "a"}, {"card", "b"}, {"tech", "an engineer"}}));
}

TEST(RecordedScores, IsPrintedAsPublished) {
  EXPECT_EQ(to_json({{"judge", {3, 2, none, 0, 4, 1, 2}}}), (json{{"judge",
                                                                   {{"fluency", 3},
                                                                    {"diversity", 2},
                                                                    {"empathic", -1},
                                                                    {"suggestion", 0},
                                                                    {"human", 4},
                                                                    {"tech", 1},
                                                                    {"overall", 2}}}}));
}

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

DialogueScores all(std::optional<int> score) {
  DialogueScores scores;
  scores.fill(score);
  return scores;
}

class Summary : public testing::Test {
 protected:
  void add(const json& record, const ScoresByJudge& judged) {
    Outcome outcome;
    count(record, judged, outcome);
    for (const auto& [name, value] : outcome.counts) counts[name] += value;
  }
  json made() const { return summary(counts, {.resamples = 50}); }
  std::map<std::string, double> counts;
};

double value(const json& figure) { return figure.at("value"); }

TEST_F(Summary, IsTheMeanOfScoresTimes25) {
  add({{"id", "a"}}, {{"judge", {3, 3, 3, 3, 1, 3, 2}}});
  add({{"id", "b"}}, {{"judge", {3, 3, 3, 3, 2, 3, 2}}});
  add({{"id", "c"}}, {{"judge", {3, 3, 3, 3, 0, 3, 2}}});
  add({{"id", "d"}}, {{"judge", {2, 3, 3, 3, 4, 3, 2}}});
  const json found = made();
  EXPECT_EQ(found.at("n"), 4);
  EXPECT_EQ(value(found.at("fluency")), 25 * 11 / 4.0);
  EXPECT_EQ(value(found.at("human")), 25 * 7 / 4.0);
  EXPECT_EQ(value(found.at("overall")), 50);
  EXPECT_EQ(found.at("human").at("n"), 4);
  EXPECT_LT(found.at("human").at("low"), 43.75);
  EXPECT_GT(found.at("human").at("high"), 43.75);
  EXPECT_EQ(found.at("overall").at("low"), 50) << "never varies";
  // (68.75 + 75 + 75 + 75 + 43.75 + 75 + 50) / 7
  EXPECT_NEAR(value(found.at("average")), 462.5 / 7, 1e-12);
  EXPECT_EQ(found.at("columns"),
            (json{"fluency", "diversity", "empathic", "suggestion", "human", "tech", "overall", "average"}));
  EXPECT_EQ(found.at("titles"),
            (json{"Fluency", "Expression", "Empathy", "Information", "Humanoid", "Skillful", "Overall", "Average"}));
  EXPECT_EQ(found.at("invalid"), 0);
  EXPECT_FALSE(found.contains("agreement"));
}

TEST_F(Summary, LeavesOutWhatIsInvalidAndCountsIt) {
  add({{"id", "a"}}, {{"judge", {4, 2, 2, 2, 2, 2, 2}}});
  add({{"id", "b"}}, {{"judge", {none, 2, 2, 2, 2, 2, none}}});
  add({{"id", "c"}}, {{"judge", {none, 2, 2, 2, 2, 2, 0}}});
  const json found = made();
  EXPECT_EQ(found.at("n"), 3);
  EXPECT_EQ(value(found.at("fluency")), 100);
  EXPECT_EQ(found.at("fluency").at("n"), 1);
  EXPECT_EQ(value(found.at("overall")), 25);
  EXPECT_EQ(found.at("average").at("n"), 1) << "as few as in the dimension that has the fewest";
  EXPECT_EQ(found.at("scores"), 21) << "3 dialogues, a judge, 7 dimensions";
  EXPECT_EQ(found.at("invalid"), 3);
  EXPECT_EQ(found.at("reasons"), (json{{"judge, fluency", 2}, {"judge, overall", 1}}));
  EXPECT_EQ(counts.at("invalid: judge, fluency"), 2) << "for those who read the stage's counts";
}

TEST_F(Summary, WithoutAnyScoreHasNull) {
  add({{"id", "a"}}, {{"judge", all(none)}});
  const json found = made();
  EXPECT_TRUE(found.at("fluency").at("value").is_null());
  EXPECT_TRUE(found.at("average").at("value").is_null());
  EXPECT_EQ(found.at("invalid"), 7);
  EXPECT_EQ(found.at("n"), 0);
  EXPECT_EQ(summary({}, {}).at("n"), 0);
}

TEST_F(Summary, GivesJudgesTheSameWeight) {
  // The second judge scored only one dialogue: (100 + 50) / 2 and 25, not (100 + 50 + 25) / 3.
  add({{"id", "a"}}, {{"judge", all(4)}, {"second_judge", all(1)}});
  add({{"id", "b"}}, {{"judge", all(2)}, {"second_judge", all(none)}});
  const json found = made();
  EXPECT_EQ(value(found.at("tech")), 50);
  EXPECT_EQ(value(found.at("judges").at("judge").at("tech")), 75);
  EXPECT_EQ(value(found.at("judges").at("second_judge").at("tech")), 25);
  EXPECT_EQ(found.at("judges").at("second_judge").at("tech").at("n"), 1);
  EXPECT_EQ(found.at("invalid"), 7);
}

// One judge scored four dialogues, another judge two of them: 7 scores of each of the other two are missing.
TEST_F(Summary, CountsWhatASecondJudgeLeavesOut) {
  for (const char* id : {"a", "b", "c", "d"}) add({{"id", id}}, {{"judge", all(4)}});
  for (const char* id : {"b", "d"}) add({{"id", id}}, {{"second_judge", all(0)}});
  const json found = made();
  EXPECT_EQ(found.at("n"), 4);
  EXPECT_EQ(found.at("judges").at("judge").at("n"), 4);
  EXPECT_EQ(found.at("judges").at("second_judge").at("n"), 2);
  EXPECT_EQ(found.at("invalid"), 14);
  EXPECT_EQ(found.at("reasons").size(), 7u);
  EXPECT_EQ(found.at("reasons").at("second_judge, fluency"), 2);
}

TEST_F(Summary, TellsHowTwoJudgesAgree) {
  const int first[] = {4, 3, 3, 0}, second[] = {4, 3, 2, 1};
  for (int i = 0; i < 4; ++i)
    add({{"id", std::string(1, static_cast<char>('a' + i))}},
        {{"judge", all(first[i])}, {"second_judge", all(second[i])}});
  add({{"id", "e"}}, {{"judge", all(4)}, {"second_judge", all(none)}});
  const json agreement = made().at("agreement").at("human");
  EXPECT_EQ(agreement.at("n"), 4) << "pairs";
  EXPECT_EQ(value(agreement.at("equal")), 0.5);
  EXPECT_EQ(value(agreement.at("difference")), 0);
  // Squared distances: observed 0 + 0 + 1 + 1 = 2. Expected by chance: the mean over all pairs, times 4:
  EXPECT_NEAR(agreement.at("kappa").get<double>(), 1 - 2.0 / 14, 1e-12);
}

TEST_F(Summary, IsMadeByLanguageSourceAndCategory) {
  add({{"id", "a"}, {"language", "en"}, {"source", "x"}, {"res", "家庭\n生活"}}, {{"judge", all(4)}});
  add({{"id", "b"}, {"language", "zh"}, {"source", "x"}, {"category", "work"}}, {{"judge", all(2)}});
  add({{"id", "c"}, {"language", "zh"}, {"source", ""}}, {{"judge", all(1)}});
  const json found = made();
  EXPECT_EQ(value(found.at("languages").at("zh").at("tech")), 37.5);
  EXPECT_EQ(found.at("languages").at("zh").at("n"), 2);
  EXPECT_EQ(value(found.at("sources").at("x").at("tech")), 75);
  EXPECT_EQ(found.at("sources").size(), 1u);
  EXPECT_EQ(value(found.at("categories").at("家庭 生活").at("tech")), 100);
  EXPECT_EQ(value(found.at("categories").at("work").at("tech")), 50);
}

}  // namespace
}  // namespace compeer::evaluating::esc_eval
