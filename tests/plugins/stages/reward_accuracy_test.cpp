#include "stages/reward_accuracy/accuracy.h"

#include <gtest/gtest.h>

#include "judged.h"
#include "stages/by_dialogue.h"

namespace compeer::stages {
namespace {

constexpr statistics::Resampling few{200, 1, 0.95};

// Returns the counts for a table of answers: a number of answers for each cell, each in a dialogue of its own.
std::map<std::string, double> counted(const std::map<std::string, int>& cells) {
  std::map<std::string, double> counts;
  for (const auto& [cell, times] : cells) {
    for (int i = 0; i < times; ++i) {
      Outcome outcome;
      count({{"id", cell + std::to_string(i)}}, cell, outcome);
      for (const auto& [name, value] : outcome.counts) counts[name] += value;
    }
  }
  return counts;
}

// 7 of 10 steps are right. F1 of True 12 / 14, of False 4 / 6: weighted .7 x .857143 + .3 x .666667 = .8.
TEST(Accuracies, OfStepsAreThoseOfTheTable) {
  const auto all = accuracies(counted({{"history: True, True", 6},
                                       {"history: True, False", 1},
                                       {"history: False, False", 2},
                                       {"history: False, True", 1}}),
                              few);
  ASSERT_EQ(all.size(), 1u) << "nothing was asked about the others";
  const auto& history = all.at("history");
  EXPECT_EQ(history.at("n"), 10);
  EXPECT_EQ(history.at("confusion"), (nlohmann::json{{6, 1, 0}, {1, 2, 0}, {0, 0, 0}}));
  EXPECT_NEAR(history.at("weighted_f1").at("value").get<double>(), .8, 1e-12);
  EXPECT_NEAR(history.at("accuracy").at("value").get<double>(), .8, 1e-12);
  EXPECT_NEAR(history.at("false_recall").at("value").get<double>(), 2 / 3.0, 1e-12);
  EXPECT_LT(history.at("accuracy").at("low").get<double>(), .8);
  EXPECT_GE(history.at("accuracy").at("high").get<double>(), .9);
}

TEST(Accuracies, AnswersThatCanNotBeReadAreWrong) {
  const auto all = accuracies(counted({{"emotion: False, unreadable", 3}, {"emotion: False, False", 1}}), few);
  EXPECT_NEAR(all.at("emotion").at("false_recall").at("value").get<double>(), .25, 1e-12);
  EXPECT_NEAR(all.at("emotion").at("accuracy").at("value").get<double>(), .25, 1e-12);
}

TEST(Accuracies, ThereIsNoRecallOfWhatDoesNotOccur) {
  EXPECT_TRUE(
      accuracies(counted({{"strategy: True, True", 4}}), few).at("strategy").at("false_recall").at("value").is_null());
}

// "second" and "both good" mean that the reply is as good as the reference, "first" and "neither" that it is not.
TEST(Accuracies, OfRepliesAlsoTellBetterOrNot) {
  const auto all = accuracies(counted({{"reply: first, neither", 2},
                                       {"reply: second, both good", 1},
                                       {"reply: both good, first", 1},
                                       {"reply: neither, unreadable", 1}}),
                              few);
  EXPECT_NEAR(all.at("reply").at("accuracy").at("value").get<double>(), 0, 1e-12);
  EXPECT_NEAR(all.at("reply").at("better_or_not").at("value").get<double>(), 3 / 5.0, 1e-12);
}

// Dialogue a has 8 of 10 answers, all right. Dialogues are resampled as a whole, so a resample without it is all wrong.
TEST(Accuracies, IntervalsAreOverDialogues) {
  std::map<std::string, double> counts{
      {".a\nhistory: True, True", 8}, {".b\nhistory: True, False", 1}, {".c\nhistory: True, False", 1}};
  const auto all = accuracies(counts, few);
  EXPECT_NEAR(all.at("history").at("accuracy").at("value").get<double>(), .8, 1e-12);
  EXPECT_EQ(all.at("history").at("accuracy").at("low"), 0);
  EXPECT_EQ(all.at("history").at("accuracy").at("high"), 1);
}

using nlohmann::json;

struct Verdict {
  std::string dialogue, said, reference;
  bool good;
  double measure;
};

json ranked(const std::vector<Verdict>& verdicts) {
  std::map<std::string, double> counts;
  for (const auto& [dialogue, said, reference, good, measure] : verdicts) {
    Outcome outcome;
    const json record{{"dialogue", dialogue},
                      {"history", {{{"role", "user"}, {"text", said}}}},
                      {"reference", reference},
                      {"id", dialogue + "/" + said}};
    count_ranked(record, "reply", good, measure, outcome);
    count_ranked(record, "history", !good, measure, outcome);
    for (const auto& [name, value] : outcome.counts) counts[name] += value;
  }
  return ranked_within_rounds(by_dialogue(counts), "reply", few);
}

// Round x: .5 is above -1, below .75 and ties with .5, and so does the other .5: 3 of 6. Round y: 1 of 1.
TEST(RankedWithinRounds, IsTheShareOfPairsOfTheSameRoundThatAreInOrder) {
  const auto found = ranked({{"a", "x", "r", true, .5},
                             {"a", "x", "r", true, .5},
                             {"a", "x", "r", false, -1},
                             {"a", "x", "r", false, .75},
                             {"a", "x", "r", false, .5},
                             {"b", "y", "r", true, .1 + .2},
                             {"b", "y", "r", false, .3}});
  EXPECT_EQ(found.at("pairs"), 7);
  EXPECT_NEAR(found.at("value").get<double>(), 4 / 7.0, 1e-12);
  EXPECT_EQ(found.at("low"), .5) << "b was not drawn";
  EXPECT_EQ(found.at("high"), 1) << "a was not drawn";
}

TEST(RankedWithinRounds, ComparesNothingAcrossRoundsDialoguesAndReferences) {
  const auto found = ranked({{"a", "x", "r", true, 1},
                             {"a", "y", "r", false, -1},
                             {"a", "x", "other", false, -1},
                             {"b", "x", "r", false, -1},
                             {"b", "x", "r", false, 1}});
  EXPECT_EQ(found, (json{{"value", nullptr}, {"low", nullptr}, {"high", nullptr}, {"pairs", 0}}));
}

// The judge is right about four of six, but its judgements are independent of the completions of a round.
TEST(RankedWithinRounds, IsChanceForAJudgeThatFollowsTheReference) {
  EXPECT_EQ(ranked({{"a", "x", "bad", true, 1},
                    {"a", "x", "bad", true, 1},
                    {"a", "x", "bad", false, 1},
                    {"b", "x", "good", false, -1},
                    {"b", "x", "good", false, -1},
                    {"b", "x", "good", true, -1}})
                .at("value"),
            .5);
}

}  // namespace
}  // namespace compeer::stages

namespace compeer::judged {
namespace {

class RewardAccuracy : public Test {
 protected:
  plugin::Plugin<Stage> open(const json& settings) { return Test::open("reward_accuracy", settings); }
};

json answered(const std::string& id, const std::string& reply, const std::string& preference) {
  auto one = record(id, {true, false, true}, preference);
  one["dialogue"] = "d";
  one["candidates"][0]["reply"] = reply;
  return one;
}

TEST_F(RewardAccuracy, ComparesAnswersWithLabels) {
  auto stage = open({{"resamples", 50}});
  const auto outcomes = plugin::make(stage, {record("a", {true, false, true}, "first")});
  EXPECT_EQ(outcomes[0].records.at(0).at("judged"),
            (json{{"steps", {"True", "True", "True"}}, {"preference", "first"}}));
  const auto found = findings(stage, outcomes);
  EXPECT_EQ(found.at("history").at("accuracy").at("value"), 1);
  EXPECT_EQ(found.at("emotion").at("false_recall").at("value"), 0);
  EXPECT_EQ(found.at("reply").at("better_or_not").at("value"), 1);
  EXPECT_EQ(found.at("reply").at("ranked_within_rounds").at("pairs"), 0);
  EXPECT_TRUE(found.at("reply").at("ranked_within_rounds").at("value").is_null());
}

TEST_F(RewardAccuracy, AsksAChatModelWithItsOwnPrompts) {
  std::ofstream(folder / "table.jsonl") << R"({"contains": "Second reply: why?", "answer": "**first**"})"
                                        << "\n"
                                        << R"({"contains": "Is this correct?", "answer": "True."})"
                                        << "\n"
                                        << R"({"contains": "Is this a fitting choice", "answer": "Hard to say."})"
                                        << "\n";
  auto stage =
      open({{"model", nullptr}, {"chat", {{"plugin", "scripted"}, {"table", (folder / "table.jsonl").string()}}}});
  const auto outcomes =
      plugin::make(stage, {record("a", {true, false, true}, "first"), record("b", {true, true, true}, "second")});
  for (const auto& outcome : outcomes) {
    EXPECT_EQ(outcome.records.at(0).at("judged"),
              (json{{"steps", {"True", "True", "unreadable"}}, {"preference", "unreadable"}}));
  }
}

// Good replies: "why?" is judged as better (value 1), "how?" gets an unreadable answer (0). Bad replies are judged as
// worse (-1).
TEST_F(RewardAccuracy, RanksTheCompletionsOfARoundByWhatTheirRewardWouldBe) {
  one = judging::Scripted([](const std::string&, const std::string& question, uint32_t) {
    if (question.starts_with("<")) return "True";
    return question.find("why?") != question.npos   ? "second"
           : question.find("how?") != question.npos ? "well"
                                                    : "first";
  });
  const std::vector<json> round{answered("a", "why?", "second"), answered("b", "how?", "both good"),
                                answered("c", "no.", "first"), answered("d", "never.", "neither")};
  auto stage = open({{"resamples", 50}});
  const auto found = findings(stage, plugin::make(stage, round));
  EXPECT_EQ(found.at("reply").at("ranked_within_rounds").at("pairs"), 4);
  EXPECT_EQ(found.at("reply").at("ranked_within_rounds").at("value"), 1);
  EXPECT_EQ(found.at("emotion").at("ranked_within_rounds").at("pairs"), 0) << "all are False";
}

// By likelihood "why?" has .4 - .6 and "no." .1 - .9: both are judged as worse, but the first one ranks higher.
TEST_F(RewardAccuracy, ByLikelihoodRanksAlsoWhatIsAnsweredAlike) {
  one.weights = [](const std::string& text, const std::vector<std::string>& choices) -> std::vector<double> {
    if (choices.size() == 2) return {std::log(.5), std::log(.5)};
    const double good = text.find("why?") != text.npos ? .4 : .1;
    return {std::log(1 - good), std::log(good), -100, -100};
  };
  const std::vector<json> round{answered("a", "why?", "second"), answered("b", "no.", "first")};
  auto by_answer = open({}), by_likelihood = open({{"score_by", "likelihood"}});
  const auto value = [&](plugin::Plugin<Stage>& stage) {
    return findings(stage, plugin::make(stage, round)).at("reply").at("ranked_within_rounds").at("value");
  };
  EXPECT_EQ(value(by_answer), .5);
  EXPECT_EQ(value(by_likelihood), 1);
}

TEST_F(RewardAccuracy, DropsRecordsWithoutLabels) {
  auto unlabelled = record("a", {}, "");
  unlabelled.erase("steps");
  auto stage = open({});
  EXPECT_EQ(plugin::make(stage, {unlabelled})[0].dropped, "no labels");
}

TEST_F(RewardAccuracy, NamesARecordThatCanNotBeJudged) {
  const auto refusal = [](plugin::Plugin<Stage>& stage, const json& record) {
    try {
      return plugin::make(stage, {record})[0].dropped + " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::data);
      return error.problem() + "; " + error.help();
    }
  };
  auto reads = open({{"reads", true}}), plain = open({});
  EXPECT_EQ(refusal(reads, record("a", {true, true, true}, "first")),
            "record 'a': has no 'reading': run the stage read; run the stage read before this one, or leave "
            "reads and reads_replies false");
  EXPECT_EQ(refusal(plain, {{"id", "b"}, {"history", record("b", {}, "").at("history")}}),
            "record 'b': has no 'reference'; run the stage generate or human_labels first: judges need its records");
  EXPECT_EQ(refusal(plain, record("c", {true, true, true}, "secnd")).substr(0, 62),
            "record 'c': has an invalid preference: 'secnd' is not 'first',");
}

}  // namespace
}  // namespace compeer::judged
