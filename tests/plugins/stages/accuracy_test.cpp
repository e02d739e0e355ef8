#include "stages/reward_accuracy/accuracy.h"

#include <gtest/gtest.h>

namespace compeer::stages {
namespace {

constexpr statistics::Resampling few{200, 1, 0.95};

// So many answers of each cell, each in a dialogue of its own.
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

// Of 10 steps 7 are right. F1 of True 12 / 14, of False 4 / 6: weighted .7 x .857143 + .3 x .666667 = .8.
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

// "second" and "both good" say that the reply is as good as the reference, "first" and "neither" that it is not.
TEST(Accuracies, OfRepliesAlsoTellBetterOrNot) {
  const auto all = accuracies(counted({{"reply: first, neither", 2},
                                       {"reply: second, both good", 1},
                                       {"reply: both good, first", 1},
                                       {"reply: neither, unreadable", 1}}),
                              few);
  EXPECT_NEAR(all.at("reply").at("accuracy").at("value").get<double>(), 0, 1e-12);
  EXPECT_NEAR(all.at("reply").at("better_or_not").at("value").get<double>(), 3 / 5.0, 1e-12);
}

// Dialogue a has 8 of 10 answers, all right: drawn whole, so a resample without it is all wrong.
TEST(Accuracies, IntervalsAreOverDialogues) {
  std::map<std::string, double> counts{
      {".a\nhistory: True, True", 8}, {".b\nhistory: True, False", 1}, {".c\nhistory: True, False", 1}};
  const auto all = accuracies(counts, few);
  EXPECT_NEAR(all.at("history").at("accuracy").at("value").get<double>(), .8, 1e-12);
  EXPECT_EQ(all.at("history").at("accuracy").at("low"), 0);
  EXPECT_EQ(all.at("history").at("accuracy").at("high"), 1);
}

}  // namespace
}  // namespace compeer::stages
