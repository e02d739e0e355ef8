#include <gtest/gtest.h>

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
  // The seeds' own luck is 0, 100, 200 and cancels out. Differences 1, 2, 0: mean 1, deviation 1, half the interval is
  // 4.30265 / sqrt(3) = 2.48414.
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
            "'dra-1' and 'dra-1' both have reweighting.plugin = dra, seed = 1|name the setting in which they differ as "
            "a column, or in 'pair'");
  EXPECT_EQ(compared(runs, "'reward'", "against = { ['reweighting.plugin'] = 'nnoe' }"),
            "no run has reweighting.plugin = nnoe|there are: reweighting.plugin = dra; reweighting.plugin = none");
  EXPECT_START(compared(runs, "'reward'", "against = { ['reweighting.plguin'] = 'none' }"),
               "a run has no 'reweighting.plguin'|did you mean 'reweighting.plu");
  EXPECT_START(compared(runs, "'reward'", against_none + ", pair = 'sede'"),
               "a run has no 'sede'|did you mean 'seed'? kno");
  EXPECT_EQ(compared(runs, "'reweighting.alpha'"), "a comparison needs a metric|compare { \"reward\", against = ... }");
}

}  // namespace
}  // namespace compeer::script
