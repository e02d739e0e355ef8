#include "report/sections/sweep.h"

#include <gtest/gtest.h>

namespace compeer::report {
namespace {

RunData run(const nlohmann::json& more, int seed, double reward, const std::string& state = "finished") {
  RunData made;
  made.task = "grpo";
  made.state = state;
  made.spec = {{"name", "x" + std::to_string(seed)}, {"task", "grpo"}, {"seed", seed}};
  made.spec["model"] = {{"path", "results/sft-" + std::to_string(seed)}};  // each seed has a start of its own
  made.spec["dataset"] = {{"plugin", "esc_world"}, {"seed", seed}};
  made.spec.merge_patch(more);
  made.columns = {{"reward", {reward, reward}}};
  made.recorded = {"reward"};
  if (state == "finished") made.summary["reward"] = {.mean = reward, .n = 2};
  return made;
}

nlohmann::json lr(double value) { return {{"grpo", {{"lr", value}}}}; }

TEST(Swept, FindsTheSettingAndTakesMeansOverSeeds) {
  const auto sweep = swept(
      {run(lr(0.1), 1, 1), run(lr(0.1), 2, 2), run(lr(0.1), 3, 3), run(lr(0.2), 1, 5), run(lr(0.2), 2, 0, "failed")});
  ASSERT_TRUE(sweep);
  EXPECT_EQ(sweep->means.settings, std::vector<std::string>{"grpo.lr"});
  EXPECT_EQ(sweep->metrics, std::vector<std::string>{"reward"});
  ASSERT_EQ(sweep->means.rows.size(), 2u);
  EXPECT_EQ(sweep->means.rows[0].settings[0].number, 0.1);
  EXPECT_NEAR(sweep->means.rows[0].metrics[0].high, 2 + 2.48414, 1e-5);  // 4.30265 / sqrt(3)
  EXPECT_FALSE(sweep->means.rows[1].metrics[0].has_interval());          // one of its two failed
  EXPECT_EQ(sweep->means.rows[1].finished, 1u);
  EXPECT_EQ(sweep->means.rows[1].failed, 1u);
}

TEST(Swept, TakesWhatOnlyOnePluginKnowsAsPartOfTheChoice) {
  const auto none = nlohmann::json{{"reweighting", {{"plugin", "none"}}}};
  const auto some = nlohmann::json{{"reweighting", {{"plugin", "redundancy"}, {"alpha", 0.5}, {"beta", 20}}}};
  const auto sweep = swept({run(none, 1, 1), run(some, 1, 2)});
  ASSERT_TRUE(sweep);
  EXPECT_EQ(sweep->means.settings, std::vector<std::string>{"reweighting.plugin"});
  EXPECT_EQ(sweep->means.rows[1].settings[0].text, "redundancy");
}

TEST(Swept, DrawsOverTheSettingWithMostNumbers) {
  std::vector<RunData> runs;
  for (const double rate : {0.1, 0.2, 0.3}) {
    for (const char* loss : {"grpo", "gspo"}) {
      auto more = lr(rate);
      more["grpo"]["a_loss"] = loss;
      runs.push_back(run(more, 1, rate));
    }
  }
  const auto sweep = swept(runs);
  ASSERT_TRUE(sweep);
  EXPECT_EQ(sweep->means.settings, (std::vector<std::string>{"grpo.lr", "grpo.a_loss"}));
}

TEST(Swept, IsNothingWithoutASetting) {
  EXPECT_FALSE(swept({}));
  EXPECT_FALSE(swept({run(lr(0.1), 1, 1), run(lr(0.1), 2, 2)}));  // seeds alone
  auto other = run(lr(0.2), 1, 1);
  other.task = "sft";
  EXPECT_FALSE(swept({run(lr(0.1), 1, 1), other}));
  auto a = run({}, 1, 1), b = run({{"model", {{"path", "results/other"}}}}, 1, 2);
  a.task = b.task = "evaluate";
  EXPECT_FALSE(swept({a, b}));  // evaluations of two models
  const nlohmann::json three = {{"a", 1}, {"b", 2}, {"c", 3}};
  EXPECT_FALSE(swept({run(lr(0.1), 1, 1), run(three, 1, 1)}));  // four settings: a choice of runs, not a sweep
}

}  // namespace
}  // namespace compeer::report
