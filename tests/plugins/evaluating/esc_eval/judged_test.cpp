#include "evaluating/esc_eval/score.h"

#include <gtest/gtest.h>

namespace compeer::evaluating::esc_eval {
namespace {

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

}  // namespace
}  // namespace compeer::evaluating::esc_eval
