#include "stages/reward_accuracy/accuracy.h"

#include <gtest/gtest.h>

#include "stages/by_dialogue.h"

namespace compeer::stages {
namespace {

using nlohmann::json;

constexpr statistics::Resampling few{200, 1, 0.95};

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

// It is right about four of six, and says nothing about the completions of a round.
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
