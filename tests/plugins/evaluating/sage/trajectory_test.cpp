#include "evaluating/sage/trajectory.h"

#include <gtest/gtest.h>

#include "recording.h"

namespace compeer::evaluating::sage {
namespace {

using nlohmann::json;

// "failure: 40 30 20 10 0", or "reason: detail".
std::string read(const json& record, const Rules& rules = {}) {
  const auto read = recorded(record, rules);
  if (!read.refusal.empty()) return read.refusal + ": " + read.detail;
  std::string text = name_of(read.trajectory.end);
  for (const int64_t point : read.trajectory.points) text += " " + std::to_string(point);
  return text;
}

TEST(SageTrajectory, IsReadOutOfThePublishedLayout) {
  EXPECT_EQ(read(recording("a", {40, 30, 20, 10, 0}, false)), "failure 40 30 20 10 0");
  EXPECT_EQ(read(recording("a", {40, 50, 60, 70, 80, 90, 100}, false)), "success 40 50 60 70 80 90 100");
  EXPECT_EQ(read(recording("a", {40, 45, 45}, true), {.rounds = 3}), "limit 40 45 45");
}

TEST(SageTrajectory, MayEndWithAGoodbyeWhereWordsAreRecorded) {
  auto record = recording("a", {40, 35}, false);
  EXPECT_EQ(read(record).substr(0, 9), "not ended");
  record["history"].back()["content"] = "算了，拜拜。";
  EXPECT_EQ(read(record), "goodbye 40 35");
  record["history"][0]["content"] = "再见";
  EXPECT_EQ(read(record), "goodbye 40 35") << "the opening ends nothing";
}

TEST(SageTrajectory, IsRefusedWhereItIsHalfWritten) {
  EXPECT_EQ(read(recording("a", {40, 35, 30}, false)),
            "not ended: the last of 5 turns is the seeker's, within 10 rounds, at 30 points");
  EXPECT_EQ(read(recording("a", {40, 35}, true)),
            "not ended: the last of 4 turns is the supporter's, before the limit of 10 rounds, at 35 points");
  EXPECT_EQ(read({{"id", "a"}, {"history", json::array()}}), "unreadable history: nobody says anything");
}

TEST(SageTrajectory, IsRefusedWhereItGoesOnAfterItsEnd) {
  EXPECT_EQ(read(recording("a", {40, 40, 40}, true), {.rounds = 2}),
            "goes on after its end: turn 5 follows the end (limit of 2 rounds)");
  EXPECT_EQ(read(recording("a", {40, 30, 20, 10, 5, 5}, true)),
            "goes on after its end: turn 10 follows the end (failure)");
}

TEST(SageTrajectory, IsRefusedWherePointsBreakTheRules) {
  auto record = recording("a", {40, 35, 45, 100}, false);
  EXPECT_EQ(read(record), "points against the rules: turn 7 has 100 points after 45 and a change of 55");
  record = recording("a", {40, 35}, true);
  record["history"][2]["planning"]["change"] = 5;
  EXPECT_EQ(read(record, {.rounds = 2}), "points against the rules: turn 3 has 35 points after 40 and a change of 5");
  record["history"][2].erase("planning");
  EXPECT_EQ(read(record, {.rounds = 2}), "limit 40 35") << "a change that was left out is not missed";
  record["history"][2]["emotion-point"] = 20;
  EXPECT_EQ(read(record, {.rounds = 2}), "points against the rules: turn 3 has 20 points after 40");
  EXPECT_EQ(read(recording("a", {30, 35}, true), {.rounds = 2}),
            "points against the rules: turn 1 has 30 points; dialogues start at 40");
}

TEST(SageTrajectory, KnowsThatChangesWereCut) {
  auto record = recording("a", {40, 50}, true);
  record["history"][2]["planning"]["change"] = 30;
  EXPECT_EQ(read(record, {.rounds = 2}), "limit 40 50");
  record = recording("a", {95, 100}, false);
  record["history"][2]["planning"]["change"] = 10;
  EXPECT_EQ(read(record, {.start = 95}), "success 95 100");
}

TEST(SageTrajectory, IsRefusedWhereTheResultIsNotItsOwn) {
  auto record = recording("a", {40, 35}, true);
  record["emo_point"] = 90;
  EXPECT_EQ(read(record, {.rounds = 2}),
            "points against the rules: its emo_point is 90, that of its last utterance 35");
  record["emo_point"] = 35.0;
  EXPECT_EQ(read(record, {.rounds = 2}), "limit 40 35");
  record["emo_state"] = "Emotion-A";
  EXPECT_EQ(read(record, {.rounds = 2}), "points against the rules: its emo_state is Emotion-A at 35 points");
}

TEST(SageTrajectory, IsRefusedWhereTurnsAreNotTurns) {
  auto record = recording("a", {40, 35}, true);
  record["history"][1]["role"] = "user";
  EXPECT_EQ(read(record), "unreadable history: turn 2 should be the assistant's");
  record = recording("a", {40, 35}, true);
  record["history"][2]["emotion-point"] = "35";
  EXPECT_EQ(read(record), "unreadable history: turn 3 has no whole number 'emotion-point'");
  record["history"][2] = {{"role", "user"}, {"emotion-point", 35}, {"planning", {{"change", "-5"}}}};
  EXPECT_EQ(read(record), "unreadable history: turn 3 has a change that is no whole number");
  record["history"][2] = 7;
  EXPECT_EQ(read(record), "unreadable history: turn 3 should be the user's");
  EXPECT_EQ(read({{"history", "x"}}), "unreadable history: has no list 'history'");
}

TEST(SageTrajectory, IsInRecordsThatHoldADialogue) {
  EXPECT_TRUE(is_recorded(recording("a", {40}, true)));
  const json seeker = {{"role", "user"}, {"text", "x"}}, supporter = {{"role", "assistant"}, {"text", "x"}};
  EXPECT_TRUE(is_recorded({{"turns", {seeker, supporter}}}));
  EXPECT_TRUE(is_recorded({{"emo_point", 60}})) << "of which the history is missed";
  EXPECT_FALSE(is_recorded({{"turns", {seeker}}})) << "the first words alone";
  EXPECT_FALSE(is_recorded({{"turns", json::array()}, {"first_talk", "x"}}));
}

}  // namespace
}  // namespace compeer::evaluating::sage
