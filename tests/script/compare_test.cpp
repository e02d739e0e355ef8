#include <gtest/gtest.h>

#include <cmath>

#include "fake_actions.h"

namespace compeer::script {
namespace {

RunResult run(const std::string& kind, int seed, double reward, double alpha = 0.5) {
  RunResult result;
  result.name = kind + "-" + std::to_string(seed);
  result.state = RunResult::State::finished;
  result.spec = {{"name", result.name}, {"seed", seed}, {"reweighting", {{"plugin", kind}, {"alpha", alpha}}}};
  result.metrics = {{"reward", {.mean = reward, .n = 1}}, {"length", {.mean = 10.0 * seed, .n = 1}}};
  return result;
}

RunResult failed(RunResult result) {
  result.state = RunResult::State::failed;
  result.metrics.clear();
  result.error = Error("", "broken\nwith more lines", "", Exit::plugin);
  return result;
}

const std::string against_none = "against = { ['reweighting.plugin'] = 'none' }";

std::string compared(const std::vector<RunResult>& runs, const std::string& columns,
                     const std::string& against = against_none) {
  const auto text = said_of(runs, "print(runs:compare { " + columns + ", " + against + " })");
  return text.substr(0, 14) == "script.lua:3: " ? text.substr(14) : text;
}

TEST(Compare, TakesDifferencesPairByPair) {
  // The effect of the seeds themselves is 0, 100, 200 and cancels out. Differences 1, 2, 0: mean 1, deviation 1, half
  // interval 4.30265 / sqrt(3) = 2.48414.
  EXPECT_EQ(compared({run("none", 1, 1), run("none", 2, 102), run("none", 3, 203), run("dra", 3, 203), run("dra", 1, 2),
                      run("dra", 2, 104)},
                     "'reward', 'length'"),
            "differences from reweighting.plugin = none, paired by seed\n"
            "reweighting.plugin  pairs  reward               length\n"
            "dra                 3      +1 [-1.484, +3.484]  +0 [+0, +0]\n");
}

TEST(Compare, KeepsOtherSettingsApartAndAlike) {
  EXPECT_EQ(compared({run("none", 1, 1, 0.5), run("none", 1, 5, 1.0), run("dra", 1, 2, 0.5), run("dra", 1, 9, 1.0)},
                     "'reweighting.alpha', 'reward'"),
            "differences from reweighting.plugin = none, paired by seed\n"
            "reweighting.plugin  reweighting.alpha  pairs  reward\n"
            "dra                 0.5                1      +1\n"
            "dra                 1.0                1      +4\n");
}

TEST(Compare, TakesWholeNumbersForTheSameWithAndWithoutAPoint) {
  EXPECT_EQ(
      compared({run("dra", 1, 2, 1.0), run("dra", 1, 9, 0.5)}, "'reward'", "against = { ['reweighting.alpha'] = 1 }"),
      "differences from reweighting.alpha = 1, paired by seed\n"
      "reweighting.alpha  pairs  reward\n"
      "0.5                1      +7\n");
}

TEST(Compare, NamesWhatItLeavesOut) {
  EXPECT_EQ(compared({run("none", 1, 1), failed(run("none", 2, 0)), run("dra", 1, 3), run("dra", 2, 4),
                      run("dra", 3, 5), failed(run("dra", 4, 0))},
                     "'reward'"),
            "differences from reweighting.plugin = none, paired by seed\n"
            "reweighting.plugin  pairs  reward\n"
            "dra                 1      +2\n"
            "none-2 failed (exit 5): broken\n"
            "dra-4 failed (exit 5): broken\n"
            "dra-2 is left out: its base run none-2 failed\n"
            "dra-3 is left out: there is no base run with seed = 3\n");
}

TEST(Compare, RefusesWhatIsNoComparison) {
  const std::vector<RunResult> runs{run("none", 1, 1), run("dra", 1, 2), run("dra", 1, 3, 1.0)};
  EXPECT_EQ(compared(runs, "'reward'"),
            "'dra-1' and 'dra-1' both have reweighting.plugin = dra, seed = 1|add the setting in which they differ to "
            "the columns or to 'pair'");
  EXPECT_EQ(compared(runs, "'reward'", "against = { ['reweighting.plugin'] = 'nnoe' }"),
            "no run has reweighting.plugin = nnoe|there are: reweighting.plugin = dra; reweighting.plugin = none");
  EXPECT_START(compared(runs, "'reward'", "against = { ['reweighting.plguin'] = 'none' }"),
               "a run has no 'reweighting.plguin'|did you mean 'reweighting.plu");
  EXPECT_START(compared(runs, "'reward'", against_none + ", pair = 'sede'"),
               "a run has no 'sede'|did you mean 'seed'? kno");
  EXPECT_EQ(compared(runs, "'reweighting.alpha'"), "a comparison needs a metric|compare { \"reward\", against = ... }");
}

TEST(Interval, IsOfTheValuesGiven) {
  // Values 1, 2, 3: half interval 4.30265 / sqrt(3) = 2.48414.
  EXPECT_EQ(said(base + R"(
    local found = compeer.interval { 1, 2, 3 }
    print(found, found.n, ("%.5f %.5f %.5f %.5f"):format(found.mean, found.low, found.high, found.half)))"),
            "2 ±2.5\t3\t2.00000 -0.48414 4.48414 2.48414\n");
}

TEST(Interval, HasAWidthFromTheEleventhValueOn) {
  EXPECT_EQ(said(base + R"(
    local values = {}
    for i = 1, 40 do
      values[i] = i % 2
      local found = compeer.interval(values)
      assert((found.half == nil) == (i == 1), i)
      assert(i == 1 or found.half > 0.15, i)
    end
    print(("%.5f"):format(compeer.interval(values).half)))"),
            "0.16194\n");  // deviation sqrt(10/39), t(39) = 2.02269: 2.02269 * .50637 / sqrt(40)
}

TEST(Interval, OfASingleValueThereIsNone) {
  EXPECT_EQ(said(base + R"(
    local one, none = compeer.interval { 5 }, compeer.interval { 0/0 }
    print(one, one.n, one.half, one.low, none, none.n, none.mean ~= none.mean))"),
            "5\t1\tnil\tnil\t-\t0\ttrue\n");
}

TEST(Difference, IsTakenPairByPair) {
  // Differences 1, 2, 0: mean 1, half interval 2.48414; values without a partner are left out.
  EXPECT_EQ(said(base + R"(
    local found = compeer.difference({ 2, 104, 203, 7 }, { 1, 102, 203 })
    print(found, found.n, found.clear, ("%.5f %.5f"):format(found.high, found.p))
    local sure = compeer.difference({ a = 1.1, b = 2.1, c = 3.11 }, { a = 1, b = 2, c = 3 })
    print(sure.clear, sure.p < 0.05)
    local one = compeer.difference({ 2 }, { 1 })
    print(one, one.clear, one.half, one.p))"),
            "+1 ±2.5\t3\tfalse\t3.48414 0.22540\ntrue\ttrue\n+1\tfalse\tnil\tnil\n");
}

TEST(Holm, CorrectsForAllTests) {
  EXPECT_EQ(said(base + "print(table.concat(compeer.holm { 0.01, 0.04, 0.03 }, ' '))"), "0.03 0.06 0.06\n");
}

TEST(Interval, RefusesWhatIsNoNumber) {
  EXPECT_EQ(said(base + "compeer.interval { 1, 'two' }"), "script.lua:2: value 2 is a string, not a number|");
  EXPECT_EQ(said(base + "compeer.interval { [base] = 1 }"),
            "script.lua:2: a table with a userdata as a key has no fixed order|"
            "use numbers or strings as keys, or ipairs over a list");
}

RunResult run_of(double alpha, int seed, double reward) {
  RunResult result;
  result.name = "r";
  result.state = RunResult::State::finished;
  result.spec = {{"seed", seed}, {"reweighting", {{"alpha", alpha}}}, {"rewards", {{{"plugin", "format"}}}}};
  result.metrics = {{"reward", {reward, reward - 1, reward + 1, 8}}, {"length", {.mean = 10, .n = 1}}};
  return result;
}

RunResult failed_run(double alpha) {
  auto result = run_of(alpha, 9, 0);
  result.state = RunResult::State::failed;
  result.metrics.clear();
  result.error = Error("", "broken");
  return result;
}

TEST(Table, HasIntervalsOverRunsByStudentsT) {
  // Values 1, 2, 3: mean 2, deviation 1, half interval 4.30265 / sqrt(3) = 2.48414.
  EXPECT_EQ(said_of({run_of(1, 1, 1), run_of(1, 2, 2), run_of(1, 3, 3)},
                    "local of = runs:table('reward').rows[1].reward "
                    "print(of.mean, of.n, ('%.5f %.5f'):format(of.low, of.high))"),
            "2.0\t3\t-0.48414 4.48414\n");
}

TEST(Table, GroupsRunsBySettings) {
  EXPECT_EQ(said_of({run_of(0.5, 1, 1), run_of(0.25, 1, 5), run_of(0.5, 2, 3), failed_run(0.5), failed_run(1)},
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
  auto result = run_of(0.5, 1, 0);
  result.state = RunResult::State::planned;
  result.metrics.clear();
  result.expected_metrics = std::move(promised);
  return result;
}

// Returns the suggested name in the error about an unknown column; "" if there is none.
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
  EXPECT_EQ(unpromised({failed_run(1)}, "rewrad"), "");
}

TEST(Table, LeavesOutWhatARunFoundNothingToTellOf) {
  EXPECT_EQ(said_of({run_of(1, 1, 4), run_of(1, 2, NAN), run_of(2, 1, NAN)},
                    "print(runs:table('reweighting.alpha', 'reward'))"),
            "reweighting.alpha  runs  reward\n"
            "1.0                2     4\n"
            "2.0                1     -\n");
}

TEST(Table, SaysWhereIntervalsAreOverThePromptsOfEachRun) {
  EXPECT_EQ(said_of({run_of(1, 1, 4), run_of(2, 1, 5)}, "print(runs:table('reweighting.alpha', 'reward', 'length'))"),
            "reweighting.alpha  runs  reward    length\n"
            "1.0                1     4 [3, 5]  10\n"
            "2.0                1     5 [4, 6]  10\n"
            "[ ]: 95 % intervals over the prompts of each run\n");
}

TEST(Table, NamesTheNearestColumn) {
  EXPECT_EQ(said_of({run_of(1, 1, 1)}, "runs:table 'rewrad'"),
            "script.lua:3: the runs have no setting or metric 'rewrad'|did you mean 'reward'? metrics: length, reward");
  EXPECT_EQ(said_of({run_of(1, 1, 1)}, "runs:table 'reweighting.alhpa'"),
            "script.lua:3: the runs have no setting or metric 'reweighting.alhpa'|did you mean 'reweighting.alpha'? "
            "metrics: length, reward");
}

TEST(Table, ReadsSettingsInLists) {
  EXPECT_EQ(said_of({run_of(1, 1, 1)}, "print(runs:table('rewards[0].plugin').rows[1]['rewards[0].plugin'])"),
            "format\n");
}

}  // namespace
}  // namespace compeer::script
