#include "script/table.h"

#include <gtest/gtest.h>

#include <cmath>

namespace compeer::script {
namespace {

RunResult run(double alpha, int seed, double reward) {
  RunResult result;
  result.name = "r";
  result.state = RunResult::State::finished;
  result.spec = {{"seed", seed}, {"reweighting", {{"alpha", alpha}}}, {"rewards", {{{"plugin", "format"}}}}};
  result.metrics = {{"reward", {reward, reward - 1, reward + 1, 8}}, {"length", {.mean = 10, .n = 1}}};
  return result;
}

RunResult failed(double alpha) {
  auto result = run(alpha, 9, 0);
  result.state = RunResult::State::failed;
  result.metrics.clear();
  result.error = Error("", "broken");
  return result;
}

TEST(OverRuns, UsesStudentsT) {
  // Of 1, 2, 3: mean 2, deviation 1, so half the interval is 4.30265 / sqrt(3) = 2.48414.
  const auto three = over_runs({{.mean = 1, .n = 1}, {2, 0, 9, 7}, {.mean = 3, .n = 1}});
  EXPECT_DOUBLE_EQ(three.mean, 2);
  EXPECT_NEAR(three.low, 2 - 2.48414, 1e-5);
  EXPECT_NEAR(three.high, 2 + 2.48414, 1e-5);
  EXPECT_EQ(three.n, 3u);
}

TEST(OverRuns, HasNoIntervalOfASingleRun) {
  const auto one = over_runs({{1, 0.5, 2, 64}});
  EXPECT_EQ(one.mean, 1);
  EXPECT_FALSE(one.has_interval());
  EXPECT_EQ(over_runs({}).n, 0);
}

TEST(MakeTable, GroupsRunsBySettings) {
  const auto table = make_table({run(0.5, 1, 1), run(0.25, 1, 5), run(0.5, 2, 3), failed(0.5), failed(1)},
                                {"reweighting.alpha", "reward", "length"});
  EXPECT_EQ(table.settings, std::vector<std::string>{"reweighting.alpha"});
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0].settings[0], 0.5);
  EXPECT_EQ(table.rows[0].metrics[0].mean, 2);
  EXPECT_EQ(table.text(),
            "reweighting.alpha  runs    reward             length\n"
            "0.5                2 of 3  2 [-10.71, 14.71]  10 [10, 10]\n"
            "0.25               1       5                  10\n"
            "1.0                0 of 1  -                  -\n"
            "[ ]: 95 % intervals over runs (Student's t); a single run has none\n"
            "r failed (exit 3): broken\n"
            "r failed (exit 3): broken");
}

RunResult planned(std::vector<std::string> promised) {
  auto result = run(0.5, 1, 0);
  result.state = RunResult::State::planned;
  result.metrics.clear();
  result.promised = std::move(promised);
  return result;
}

std::string unpromised(const std::vector<RunResult>& runs, const std::string& column) {
  try {
    refuse_unpromised(runs, {column});
  } catch (const Error& error) {
    return error.help().substr(0, error.help().find('?') + 1);
  }
  return "";
}

TEST(Columns, OfPlannedRunsAreThoseThatArePromised) {
  const auto some = planned({"reward", "rewards/format/reward", "distinct_2", "redundancy/s_in"});
  for (const auto* good : {"reward", "rewards/format/reward", "redundancy/s_in", "seed", "reweighting.alpha"})
    EXPECT_EQ(unpromised({some}, good), "") << good;
  EXPECT_EQ(unpromised({some}, "rewards/fromat/reward"), "did you mean 'rewards/format/reward'?");
  EXPECT_EQ(unpromised({some}, "redundancy/s_inn"), "did you mean 'redundancy/s_in'?");
  EXPECT_EQ(unpromised({some}, "distint_2"), "did you mean 'distinct_2'?");
}

TEST(Columns, OfPlannedRunsMayBeWhatNobodyCanKnowYet) {
  const auto some = planned({"reward", "rewards/format/reward", "rewards/judge/*"});
  EXPECT_EQ(unpromised({some}, "rewards/judge/emotion"), "") << "it can't be made yet";
  EXPECT_EQ(unpromised({some}, "peak_memory"), "") << "not like any other";
  EXPECT_EQ(unpromised({some}, "validation/reward"), "") << "nobody has said anything of validation/";
  EXPECT_EQ(unpromised({planned({})}, "01-sage/success/value"), "") << "of a data run";
  EXPECT_EQ(unpromised({some, planned({})}, "01-sage/success/value"), "") << "another run may have it";
  EXPECT_EQ(unpromised({failed(1)}, "rewrad"), "");
}

TEST(MakeTable, LeavesOutWhatARunFoundNothingToTellOf) {
  const auto table = make_table({run(1, 1, 4), run(1, 2, NAN), run(2, 1, NAN)}, {"reweighting.alpha", "reward"});
  EXPECT_EQ(table.text(),
            "reweighting.alpha  runs  reward\n"
            "1.0                2     4\n"
            "2.0                1     -");
}

TEST(MakeTable, SaysWhereIntervalsAreOverThePromptsOfEachRun) {
  const auto table = make_table({run(1, 1, 4), run(2, 1, 5)}, {"reweighting.alpha", "reward", "length"});
  EXPECT_EQ(table.text(),
            "reweighting.alpha  runs  reward    length\n"
            "1.0                1     4 [3, 5]  10\n"
            "2.0                1     5 [4, 6]  10\n"
            "[ ]: 95 % intervals over the prompts of each run");
}

TEST(MakeTable, NamesTheNearestColumn) {
  const auto complaint = [](const std::string& column) {
    try {
      make_table({run(1, 1, 1)}, {column});
    } catch (const Error& error) {
      return error.problem() + "|" + error.help();
    }
    return std::string();
  };
  EXPECT_EQ(complaint("rewrad"),
            "the runs have no setting or metric 'rewrad'|did you mean 'reward'? metrics: length, reward");
  EXPECT_EQ(complaint("reweighting.alhpa"),
            "the runs have no setting or metric 'reweighting.alhpa'|did you mean 'reweighting.alpha'? metrics: length, "
            "reward");
}

TEST(MakeTable, ReadsSettingsInLists) {
  const auto table = make_table({run(1, 1, 1)}, {"rewards[0].plugin"});
  EXPECT_EQ(table.rows[0].settings[0], "format");
}

}  // namespace
}  // namespace compeer::script
