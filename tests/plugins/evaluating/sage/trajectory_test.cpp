#include "evaluating/sage/trajectory.h"

#include <gtest/gtest.h>

#include "evaluating/sage/answers.h"
#include "evaluating/sage/summary.h"
#include "recording.h"

namespace compeer::evaluating::sage {
namespace {

TEST(SageRules, CutChangesOnBothSidesAndPointsFromAboveOnly) {
  EXPECT_EQ(Rules::after(40, 7), 47);
  EXPECT_EQ(Rules::after(40, 11), 50);
  EXPECT_EQ(Rules::after(40, -25), 30);
  EXPECT_EQ(Rules::after(95, 10), 100);
  EXPECT_EQ(Rules::after(95, 3), 98);
  EXPECT_EQ(Rules::after(3, -10), -7) << "there is no lower end";
}

TEST(SageRules, NameStatesByTheirLowerEnds) {
  EXPECT_STREQ(Rules::state(100), "Emotion-S");
  EXPECT_STREQ(Rules::state(99), "Emotion-A");
  EXPECT_STREQ(Rules::state(70), "Emotion-A");
  EXPECT_STREQ(Rules::state(69), "Emotion-B");
  EXPECT_STREQ(Rules::state(40), "Emotion-B");
  EXPECT_STREQ(Rules::state(39), "Emotion-C");
  EXPECT_STREQ(Rules::state(10), "Emotion-C");
  EXPECT_STREQ(Rules::state(9), "Emotion-F");
  EXPECT_STREQ(Rules::state(-5), "Emotion-F");
}

TEST(SageRules, EndADialogueAtItsLimitsOrWithAGoodbye) {
  const Rules rules;
  EXPECT_EQ(rules.end_after_utterance(100, "好"), End::success);
  EXPECT_EQ(rules.end_after_utterance(10, "嗯"), End::none) << "exactly 10 is no failure";
  EXPECT_EQ(rules.end_after_utterance(9, "嗯"), End::failure);
  EXPECT_EQ(rules.end_after_utterance(30, "那就再见吧"), End::goodbye);
  EXPECT_EQ(rules.end_after_utterance(30, "拜拜。"), End::goodbye);
  EXPECT_EQ(rules.end_after_utterance(100, "再见"), End::success) << "points come before words";
  EXPECT_EQ(rules.end_after_utterance(30, "Goodbye."), End::none);
  const Rules english{.goodbyes = {"oodbye", ""}};
  EXPECT_EQ(english.end_after_utterance(30, "Goodbye."), End::goodbye);
  EXPECT_EQ(english.end_after_utterance(30, "再见"), End::none) << "and an empty word is none";
}

TEST(SageRules, EndADialogueWhenTheLastUtteranceIsAnswered) {
  const Rules published, paper{.rounds = 20};
  EXPECT_EQ(published.answered(9), End::none);
  EXPECT_EQ(published.answered(10), End::limit);
  EXPECT_EQ(paper.answered(10), End::none);
  EXPECT_EQ(paper.answered(20), End::limit);
}

using nlohmann::json;

// Returns "failure: 40 30 20 10 0" (end and points), or "reason: detail" if the record is refused.
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

int64_t change(const std::string& answer) {
  const auto read = read_planning(answer);
  return read ? read->change : -999;
}

TEST(SagePlanning, HasFiveSections) {
  const auto read = read_planning(
      "Content: They ask\nfor more.\nTargetCompletion: [No]\nActivity: Hm.\nAnalyse: Bored: a bit.\nChange: -5\n");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->content, "They ask\nfor more.");
  EXPECT_EQ(read->target_completion, "No");
  EXPECT_EQ(read->activity, "Hm.");
  EXPECT_EQ(read->analyse, "Bored: a bit.");
  EXPECT_EQ(read->change, -5);
  EXPECT_EQ(shown(*read),
            "Content: They ask\nfor more.\nTargetCompletion: No\nActivity: Hm.\nAnalyse: Bored: a bit.\nChange: -5");
}

TEST(SagePlanning, IsReadHoweverItIsDecorated) {
  EXPECT_EQ(change("**Change**：+10"), 10);
  EXPECT_EQ(change("**Change：** 5 points"), 5);
  EXPECT_EQ(change("Change:\n[-10]"), -10);
  EXPECT_EQ(change("```json\n{\"Activity\": \"a\", \"Change\": 3}\n```"), 3);
  EXPECT_EQ(change("Change: −4"), -4) << "a minus sign, no hyphen";
  EXPECT_EQ(change("Change: －4"), -4);
  EXPECT_EQ(change("<think>Change: 9</think>\nChange: 2"), 2);
  EXPECT_EQ(read_planning("Analyse：好\nChange：5")->analyse, "好");
}

TEST(SagePlanning, TakesTheFirstNumberOfTheLastChange) {
  EXPECT_EQ(change("Change: 1\nContent: x\nChange: 2, of 10"), 2);
  EXPECT_EQ(change("Change: from 5-10"), 5);
  EXPECT_EQ(change("Change: 99999999999999999999999"), 1000000) << "cut by the rules, not here";
}

TEST(SagePlanning, IsNothingWithoutANumber) {
  EXPECT_EQ(change(""), -999);
  EXPECT_EQ(change("I feel 5 better."), -999);
  EXPECT_EQ(change("Change: better"), -999);
  EXPECT_EQ(change("Change 5"), -999) << "no colon";
  EXPECT_EQ(change("Change: \nContent: 5"), -999) << "another section's number";
}

TEST(SageSaid, IsWhatFollowsTheLastResponse) {
  const auto read = parse_utterance("Thinking: Calm.\nOrigin: Well...\nChange: shorter\nResponse: no\nResponse: Well.");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->text, "Well.");
  EXPECT_EQ(read->thinking, "Calm.");
  EXPECT_EQ(parse_utterance("**Response:** Well.")->text, "Well.");
  EXPECT_EQ(parse_utterance("Response：\n[“好吧。”]\n")->text, "好吧。");
  EXPECT_EQ(parse_utterance("Response: I said “no” to him.\nTwice.")->text, "I said “no” to him.\nTwice.");
}

TEST(SageSaid, IsNothingWithoutAWord) {
  EXPECT_FALSE(parse_utterance("Well."));
  EXPECT_FALSE(parse_utterance("Response: []\n"));
  EXPECT_FALSE(parse_utterance("<think>Response: a</think> no"));
}

// Collects the findings of dialogues.
struct Found {
  std::map<std::string, double> counts;

  void add(const json& record) {
    const auto read = recorded(record, {.rounds = 3});
    ASSERT_EQ(read.refusal, "") << read.detail;
    Outcome outcome;
    count(record, read.trajectory, outcome);
    add(outcome);
  }
  void add(const Outcome& outcome) {
    for (const auto& [name, value] : outcome.counts) counts[name] += value;
  }
  json summary() const { return sage::summary(counts, {.resamples = 200}); }
};

json with(json record, const std::string& kind, const std::string& task) {
  record["main_cha"] = kind;
  record["task"] = task;
  return record;
}

TEST(SageSummary, IsWorkedOutByHand) {
  Found found;
  found.add(with(recording("a", {40, 50, 60}, true), "open", "x"));
  found.add(with(recording("b", {40, 45, 40}, true), "open", "y"));
  auto goodbye = with(recording("c", {40, 35}, false), "closed", "x");
  goodbye["history"].back()["content"] = "再见";
  found.add(goodbye);
  const json all = found.summary();
  EXPECT_EQ(all.at("n"), 3);
  EXPECT_EQ(all.at("better"), (json{{"higher", {"mean_emotion", "success"}}, {"lower", {"failure"}}}));
  EXPECT_EQ(all.at("columns"), (json{"mean_emotion", "success", "failure", "rounds"}));
  EXPECT_DOUBLE_EQ(all.at("mean_emotion").at("value"), 45);  // (60 + 40 + 35) / 3
  EXPECT_LE(all.at("mean_emotion").at("low"), 45);
  EXPECT_GE(all.at("mean_emotion").at("high"), 45);
  EXPECT_DOUBLE_EQ(all.at("rounds").at("value"), 8.0 / 3);
  EXPECT_EQ(all.at("success").at("value"), 0);
  EXPECT_EQ(all.at("ends"), (json{{"limit", 2}, {"goodbye", 1}}));
  EXPECT_EQ(all.at("invalid"), 0);
  EXPECT_DOUBLE_EQ(all.at("kinds").at("open").at("mean_emotion").at("value"), 50);
  EXPECT_EQ(all.at("kinds").at("closed").at("n"), 1);
  EXPECT_DOUBLE_EQ(all.at("tasks").at("x").at("mean_emotion").at("value"), 47.5);
}

TEST(SageSummary, CountsSuccessAndFailureAtTheirLimits) {
  const auto ended = [](const std::string& id, int64_t last) {
    Outcome outcome;
    count({{"id", id}}, {{40, last}, End::limit}, outcome);
    return outcome;
  };
  Found found;
  found.add(ended("a", 100));
  found.add(ended("b", 10));
  found.add(ended("c", 9));
  found.add(ended("d", 99));
  const json all = found.summary();
  EXPECT_EQ(all.at("success").at("count"), 1);
  EXPECT_EQ(all.at("success").at("value"), 0.25);
  EXPECT_EQ(all.at("failure").at("count"), 1) << "exactly 10 is no failure";
  EXPECT_EQ(all.at("kinds"), json::object());
}

TEST(SageSummary, KeepsTheLastPointsOfDialoguesThatAreOver) {
  Found found;
  found.add(recording("a", {40, 50, 60}, true));
  auto goodbye = recording("b", {40, 30}, false);
  goodbye["history"].back()["content"] = "再见";
  found.add(goodbye);
  const json curve = found.summary().at("curves").at("emotion");
  ASSERT_EQ(curve.size(), 3u);
  EXPECT_EQ(curve[0].at("value"), 40);
  EXPECT_EQ(curve[1].at("value"), 40);  // (50 + 30) / 2
  EXPECT_EQ(curve[2].at("value"), 45);  // (60 + 30) / 2
  EXPECT_EQ(curve[2].at("n"), 2);
  EXPECT_EQ(curve[1].at("open"), 2);
  EXPECT_EQ(curve[2].at("open"), 1);
}

TEST(SageSummary, CountsWhatCanNotBeScoredApart) {
  Found found;
  Outcome outcome;
  count_invalid("not ended", outcome);
  found.add(outcome);
  json all = found.summary();
  EXPECT_EQ(all.at("n"), 0);
  EXPECT_EQ(all.at("invalid"), 1);
  EXPECT_EQ(all.at("reasons"), (json{{"not ended", 1}}));
  EXPECT_TRUE(all.at("mean_emotion").at("value").is_null()) << "no number, and no zero";
  found.add(recording("a", {40, 50, 60}, true));
  EXPECT_EQ(found.summary().at("mean_emotion").at("value"), 60);
}

}  // namespace
}  // namespace compeer::evaluating::sage
