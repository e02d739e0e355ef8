#include "script/compare.h"

#include <gtest/gtest.h>

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

const std::vector<std::pair<std::string, spec::json>> none{{"reweighting.plugin", "none"}};

std::string complaint(const std::vector<RunResult>& runs, const std::vector<std::string>& columns,
                      const std::vector<std::pair<std::string, spec::json>>& base = none,
                      const std::vector<std::string>& pair = {"seed"}) {
  try {
    compare(runs, columns, base, pair);
  } catch (const Error& error) {
    return error.problem() + "|" + error.help();
  }
  return "";
}

TEST(Compare, TakesDifferencesPairByPair) {
  // The seeds' own luck is 0, 100, 200 and cancels out. Differences 1, 2, 0: mean 1, deviation 1, half the interval is
  // 4.30265 / sqrt(3) = 2.48414.
  const auto made = compare({run("none", 1, 1), run("none", 2, 102), run("none", 3, 203), run("dra", 3, 203),
                             run("dra", 1, 2), run("dra", 2, 104)},
                            {"reward", "length"}, none, {"seed"});
  ASSERT_EQ(made.rows.size(), 1u);
  const auto& reward = made.rows[0].differences[0];
  EXPECT_DOUBLE_EQ(reward.mean, 1);
  EXPECT_NEAR(reward.low, 1 - 2.48414, 1e-5);
  EXPECT_NEAR(reward.high, 1 + 2.48414, 1e-5);
  EXPECT_EQ(reward.n, 3);
  EXPECT_EQ(made.rows[0].differences[1].high, 0);
  EXPECT_EQ(made.text(),
            "differences from reweighting.plugin = none, paired by seed\n"
            "reweighting.plugin  pairs  reward               length\n"
            "dra                 3      +1 [-1.484, +3.484]  +0 [+0, +0]");
}

TEST(Compare, KeepsOtherSettingsApartAndAlike) {
  const auto made =
      compare({run("none", 1, 1, 0.5), run("none", 1, 5, 1.0), run("dra", 1, 2, 0.5), run("dra", 1, 9, 1.0)},
              {"reweighting.alpha", "reward"}, none, {"seed"});
  EXPECT_EQ(made.text(),
            "differences from reweighting.plugin = none, paired by seed\n"
            "reweighting.plugin  reweighting.alpha  pairs  reward\n"
            "dra                 0.5                1      +1\n"
            "dra                 1.0                1      +4");
}

TEST(Compare, NamesWhatItLeavesOut) {
  const auto made = compare({run("none", 1, 1), failed(run("none", 2, 0)), run("dra", 1, 3), run("dra", 2, 4),
                             run("dra", 3, 5), failed(run("dra", 4, 0))},
                            {"reward"}, none, {"seed"});
  EXPECT_EQ(made.text(),
            "differences from reweighting.plugin = none, paired by seed\n"
            "reweighting.plugin  pairs  reward\n"
            "dra                 1      +2\n"
            "none-2 failed (exit 5): broken\n"
            "dra-4 failed (exit 5): broken\n"
            "dra-2 is left out: its base run none-2 failed\n"
            "dra-3 is left out: there is no base run with seed = 3");
}

TEST(Compare, RefusesWhatIsNoComparison) {
  const std::vector<RunResult> runs{run("none", 1, 1), run("dra", 1, 2), run("dra", 1, 3, 1.0)};
  EXPECT_EQ(
      complaint(runs, {"reward"}),
      "'dra-1' and 'dra-1' both have reweighting.plugin = dra, seed = 1|name the setting in which they differ as a "
      "column, or in 'pair'");
  EXPECT_EQ(complaint(runs, {"reward"}, {{"reweighting.plugin", "nnoe"}}),
            "no run has reweighting.plugin = nnoe|there are: reweighting.plugin = dra; reweighting.plugin = none");
  EXPECT_EQ(complaint(runs, {"reward"}, {{"reweighting.plguin", "none"}}).substr(0, 63),
            "a run has no 'reweighting.plguin'|did you mean 'reweighting.plu");
  EXPECT_EQ(complaint(runs, {"reward"}, none, {"sede"}).substr(0, 44), "a run has no 'sede'|did you mean 'seed'? kno");
  EXPECT_EQ(complaint(runs, {"reweighting.alpha"}),
            "a comparison needs a metric|compare { \"reward\", against = ... }");
}

}  // namespace
}  // namespace compeer::script
