#include <gtest/gtest.h>

#include <cmath>

#include "fake_actions.h"

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

TEST(Table, HasIntervalsOverRunsByStudentsT) {
  // Of 1, 2, 3: mean 2, deviation 1, so half the interval is 4.30265 / sqrt(3) = 2.48414.
  EXPECT_EQ(said_of({run(1, 1, 1), run(1, 2, 2), run(1, 3, 3)},
                    "local of = runs:table('reward').rows[1].reward "
                    "print(of.mean, of.n, ('%.5f %.5f'):format(of.low, of.high))"),
            "2.0\t3\t-0.48414 4.48414\n");
}

TEST(Table, GroupsRunsBySettings) {
  EXPECT_EQ(said_of({run(0.5, 1, 1), run(0.25, 1, 5), run(0.5, 2, 3), failed(0.5), failed(1)},
                    "local t = runs:table('reweighting.alpha', 'reward', 'length') "
                    "print(#t.rows, t.rows[1]['reweighting.alpha'], t.rows[1].reward.mean, t.rows[3].reward) print(t)"),
            "3\t0.5\t2.0\tnil\n"
            "reweighting.alpha  runs    reward             length\n"
            "0.5                2 of 3  2 [-10.71, 14.71]  10 [10, 10]\n"
            "0.25               1       5                  10\n"
            "1.0                0 of 1  -                  -\n"
            "[ ]: 95 % intervals over runs (Student's t); a single run has none\n"
            "r failed (exit 3): broken\n"
            "r failed (exit 3): broken\n");
}

RunResult planned(std::vector<std::string> promised) {
  auto result = run(0.5, 1, 0);
  result.state = RunResult::State::planned;
  result.metrics.clear();
  result.promised = std::move(promised);
  return result;
}

// The suggestion for a column that is like one that the runs have.
std::string unpromised(const std::vector<RunResult>& runs, const std::string& column) {
  const auto text = said_of(runs, "local t = runs:table('" + column + "')");
  const auto end = text.find('?');
  return end == std::string::npos ? "" : text.substr(text.find('|') + 1, end - text.find('|'));
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

TEST(Table, LeavesOutWhatARunFoundNothingToTellOf) {
  EXPECT_EQ(said_of({run(1, 1, 4), run(1, 2, NAN), run(2, 1, NAN)}, "print(runs:table('reweighting.alpha', 'reward'))"),
            "reweighting.alpha  runs  reward\n"
            "1.0                2     4\n"
            "2.0                1     -\n");
}

TEST(Table, SaysWhereIntervalsAreOverThePromptsOfEachRun) {
  EXPECT_EQ(said_of({run(1, 1, 4), run(2, 1, 5)}, "print(runs:table('reweighting.alpha', 'reward', 'length'))"),
            "reweighting.alpha  runs  reward    length\n"
            "1.0                1     4 [3, 5]  10\n"
            "2.0                1     5 [4, 6]  10\n"
            "[ ]: 95 % intervals over the prompts of each run\n");
}

TEST(Table, NamesTheNearestColumn) {
  EXPECT_EQ(said_of({run(1, 1, 1)}, "runs:table 'rewrad'"),
            "script.lua:3: the runs have no setting or metric 'rewrad'|did you mean 'reward'? metrics: length, reward");
  EXPECT_EQ(said_of({run(1, 1, 1)}, "runs:table 'reweighting.alhpa'"),
            "script.lua:3: the runs have no setting or metric 'reweighting.alhpa'|did you mean 'reweighting.alpha'? "
            "metrics: length, reward");
}

TEST(Table, ReadsSettingsInLists) {
  EXPECT_EQ(said_of({run(1, 1, 1)}, "print(runs:table('rewards[0].plugin').rows[1]['rewards[0].plugin'])"), "format\n");
}

}  // namespace
}  // namespace compeer::script
