#include "report/sections/sweep.h"

#include <gtest/gtest.h>

#include "../sample_runs.h"
#include "report/sections/frontier.h"

namespace compeer::report {
namespace {

Sweep::Row row(std::vector<Sweep::Value> settings, Interval reward, size_t finished = 3, size_t failed = 0) {
  return {std::move(settings), {reward}, finished, failed};
}

Sweep by_alpha() {
  Sweep sweep;
  sweep.metrics = {"reward"};
  sweep.means.settings = {"alpha"};
  sweep.means.rows = {row({{"0.25", 0.25}}, {1, 0.5, 1.5, 3}), row({{"0.5", 0.5}}, {2, 1.5, 2.5, 3}, 2, 1),
                      row({{"1.0", 1.0}}, {3, 2.5, 3.5, 3})};
  return sweep;
}

std::string written(const Sweep& sweep) {
  Markup out;
  write_sweep(out, sweep);
  return out.take();
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(WriteSweep, DrawsALineWithABandOverNumbers) {
  const auto html = written(by_alpha());
  EXPECT_TRUE(has(html, "class=\"band\""));
  EXPECT_TRUE(has(html, ">0.25<") || has(html, ">0.4<")) << html;  // ticks at fractions
  EXPECT_TRUE(has(html, "2 of 3"));
  EXPECT_FALSE(has(html, "sweep-differences"));
}

TEST(WriteSweep, DrawsDotsForNames) {
  auto sweep = by_alpha();
  for (auto& one : sweep.means.rows) one.settings[0].number = missing;
  EXPECT_FALSE(has(written(sweep), "class=\"band\""));
  EXPECT_TRUE(has(written(sweep), "class=\"row-label\""));
}

TEST(WriteSweep, DrawsAHeatMapOverTwoSettings) {
  Sweep sweep;
  sweep.metrics = {"reward"};
  sweep.means.settings = {"lr", "beta"};
  sweep.means.rows = {row({{"0.1", 0.1}, {"0", 0}}, {1, 0.5, 1.5, 3}),
                      row({{"0.01", 0.01}, {"0", 0}}, {2, 1.5, 2.5, 3}),
                      row({{"0.1", 0.1}, {"1", 1}}, {3, missing, missing, 1}, 1)};
  const auto html = written(sweep);
  EXPECT_TRUE(has(html, "class=\"heat\""));
  EXPECT_TRUE(has(html, "±0.5<"));
  EXPECT_FALSE(has(html, "class=\"band\""));
  EXPECT_LT(html.find(">0.01<"), html.find(">0.1<"));  // sorted as numbers
}

TEST(WriteSweep, SaysThatSingleRunsHaveNoIntervals) {
  auto sweep = by_alpha();
  for (auto& one : sweep.means.rows)
    one.metrics = {{one.metrics[0].mean, missing, missing, 1}}, one.finished = 1, one.failed = 0;
  const auto html = written(sweep);
  EXPECT_TRUE(has(html, "A difference without an interval may be due to chance"));
  EXPECT_FALSE(has(html, "class=\"band\""));
}

TEST(WriteSweep, ShowsDifferencesFromZeroAndWhatIsLeftOut) {
  auto sweep = by_alpha();
  sweep.base = "plugin = <none>";
  sweep.paired_by = "seed";
  sweep.differences.settings = {"plugin"};
  sweep.differences.rows = {row({{"dra"}}, {0.5, 0.25, 0.75, 3}), row({{"redundancy"}}, {0.1, -0.1, 0.3, 3})};
  sweep.notes = {"x failed (exit 5): broken"};
  const auto html = written(sweep);
  EXPECT_TRUE(has(html, "plugin = &lt;none&gt;"));
  EXPECT_TRUE(has(html, "class=\"baseline-mean\""));
  EXPECT_TRUE(has(html, "+0.50"));
  EXPECT_TRUE(has(html, "<li>x failed (exit 5): broken</li>"));
}

RunData swept_run(const nlohmann::json& more, int seed, double reward, const std::string& state = "finished") {
  RunData made;
  made.task = "grpo";
  made.state = state;
  made.spec = {{"name", "x" + std::to_string(seed)}, {"task", "grpo"}, {"seed", seed}};
  made.spec["model"] = {{"path", "results/sft-" + std::to_string(seed)}};  // each seed starts from its own checkpoint
  made.spec["dataset"] = {{"plugin", "esc_world"}, {"seed", seed}};
  made.spec.merge_patch(more);
  made.columns = {{"reward", {reward, reward}}};
  made.recorded = {"reward"};
  if (state == "finished") made.summary["reward"] = {.mean = reward, .n = 2};
  return made;
}

nlohmann::json lr(double value) { return {{"grpo", {{"lr", value}}}}; }

TEST(Swept, FindsTheSettingAndTakesMeansOverSeeds) {
  const auto sweep = swept({swept_run(lr(0.1), 1, 1), swept_run(lr(0.1), 2, 2), swept_run(lr(0.1), 3, 3),
                            swept_run(lr(0.2), 1, 5), swept_run(lr(0.2), 2, 0, "failed")});
  ASSERT_TRUE(sweep);
  EXPECT_EQ(sweep->means.settings, std::vector<std::string>{"grpo.lr"});
  EXPECT_EQ(sweep->metrics, std::vector<std::string>{"reward"});
  ASSERT_EQ(sweep->means.rows.size(), 2u);
  EXPECT_EQ(sweep->means.rows[0].settings[0].number, 0.1);
  EXPECT_NEAR(sweep->means.rows[0].metrics[0].high, 2 + 2.48414, 1e-5);  // 4.30265 / sqrt(3)
  EXPECT_FALSE(sweep->means.rows[1].metrics[0].has_interval());          // one of its two runs failed
  EXPECT_EQ(sweep->means.rows[1].finished, 1u);
  EXPECT_EQ(sweep->means.rows[1].failed, 1u);
}

TEST(Swept, TakesWhatOnlyOnePluginKnowsAsPartOfTheChoice) {
  const auto none = nlohmann::json{{"reweighting", {{"plugin", "none"}}}};
  const auto some = nlohmann::json{{"reweighting", {{"plugin", "redundancy"}, {"alpha", 0.5}, {"beta", 20}}}};
  const auto sweep = swept({swept_run(none, 1, 1), swept_run(some, 1, 2)});
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
      runs.push_back(swept_run(more, 1, rate));
    }
  }
  const auto sweep = swept(runs);
  ASSERT_TRUE(sweep);
  EXPECT_EQ(sweep->means.settings, (std::vector<std::string>{"grpo.lr", "grpo.a_loss"}));
}

TEST(Swept, IsNothingWithoutASetting) {
  EXPECT_FALSE(swept({}));
  EXPECT_FALSE(swept({swept_run(lr(0.1), 1, 1), swept_run(lr(0.1), 2, 2)}));  // only the seeds differ
  auto other = swept_run(lr(0.2), 1, 1);
  other.task = "sft";
  EXPECT_FALSE(swept({swept_run(lr(0.1), 1, 1), other}));
  auto a = swept_run({}, 1, 1), b = swept_run({{"model", {{"path", "results/other"}}}}, 1, 2);
  a.task = b.task = "evaluate";
  EXPECT_FALSE(swept({a, b}));  // evaluations of two models
  const nlohmann::json three = {{"a", 1}, {"b", 2}, {"c", 3}};
  EXPECT_FALSE(swept({swept_run(lr(0.1), 1, 1), swept_run(three, 1, 1)}));  // four varied settings are not a sweep
}

RunData measured(const std::string& name, int seed, double alpha, double distinct, double reward) {
  auto made = sample::evaluation(name, "models/m", false, 0.5, 0.3, distinct);
  made.spec["seed"] = seed;
  made.spec["reweighting"]["alpha"] = alpha;
  made.summary["reward"] = sample::around(reward, 0.1);
  return made;
}

TEST(Frontier, IsWhatNoOtherBeatsInBoth) {
  const std::vector<RunData> runs = {measured("a", 1, 0.1, 0.10, 1.0), measured("b", 1, 0.2, 0.08, 2.0),
                                     measured("c", 1, 0.3, 0.09, 0.9), measured("d", 1, 0.4, 0.05, 2.0)};
  const auto groups = frontier_groups(runs, Lineage(runs), {"distinct_2", "reward"});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].heading, "Sampled, temperature 1");
  ASSERT_EQ(groups[0].dots.size(), 4u);
  EXPECT_TRUE(groups[0].dots[0].on_front);   // largest distinct-2
  EXPECT_TRUE(groups[0].dots[1].on_front);   // largest reward
  EXPECT_FALSE(groups[0].dots[2].on_front);  // a is better in both
  EXPECT_FALSE(groups[0].dots[3].on_front);
}

TEST(Frontier, OfAMetricThatShouldBeLowHoldsTheLowest) {
  std::vector<RunData> runs = {measured("a", 1, 0.1, 0.1, 1.0), measured("b", 1, 0.2, 0.1, 1.0)};
  runs[0].summary["redundancy/s_in"] = sample::around(0.2, 0.01);
  const auto groups = frontier_groups(runs, Lineage(runs), {"redundancy/s_in", "reward"});
  EXPECT_TRUE(groups[0].dots[0].on_front);  // 0.2 is lower than 0.3
  EXPECT_FALSE(groups[0].dots[1].on_front);
}

TEST(Frontier, TakesSeedsTogether) {
  std::vector<RunData> runs;
  for (const int seed : {1, 2, 3}) {
    runs.push_back(measured("plain-seed_" + std::to_string(seed), seed, 0.1, 0.1 * seed, 1.0));
    runs.push_back(measured("weighed-seed_" + std::to_string(seed), seed, 0.2, 0.1, seed));
  }
  const auto groups = frontier_groups(runs, Lineage(runs), {"distinct_2", "reward"});
  ASSERT_EQ(groups[0].dots.size(), 2u);
  EXPECT_EQ(groups[0].dots[0].name, "plain (3 seeds)");
  EXPECT_EQ(groups[0].dots[1].label, "weighed");
  EXPECT_DOUBLE_EQ(groups[0].dots[0].x.mean, 0.2);
  EXPECT_NEAR(groups[0].dots[1].y.high, 2 + 4.303 / std::sqrt(3.0), 1e-3);  // values 1, 2, 3: deviation 1
}

TEST(Frontier, KeepsWaysOfDecodingApart) {
  auto runs = sample::quickstart();
  const auto groups = frontier_groups(runs, Lineage(runs), {"distinct_2", "rewards/truth/quality"});
  ASSERT_EQ(groups.size(), 3u);  // training, sampled, greedy
  EXPECT_EQ(groups[0].heading, "grpo");
  EXPECT_EQ(groups[2].heading, "Greedy");
}

TEST(Frontier, KnowsFiguresOfStagesWithTheirIntervals) {
  const std::vector<RunData> runs = {sample::tested("a", "x", 1, 50, 2, 0.1)};
  const auto groups = frontier_groups(runs, Lineage(runs), {"01-sage/failure/value", "01-sage/mean_emotion/value"});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].dots[0].y.high, 52);
}

TEST(Frontier, IsDrawnWithItsNumbersInATable) {
  const std::vector<RunData> runs = {measured("first", 1, 0.1, 0.10, 1.0), measured("second", 1, 0.2, 0.08, 2.0)};
  Markup out;
  write_frontiers(out, runs, Lineage(runs), {{"distinct_2", "reward"}, {"nothing", "reward"}});
  const auto html = out.take();
  EXPECT_TRUE(has(html, "<title id=\"frontier-1-1-title\">reward against distinct-2</title>"));
  EXPECT_TRUE(has(html, "class=\"ring\""));
  EXPECT_TRUE(has(html, "<title>Pareto front</title>"));
  EXPECT_TRUE(has(html, "<td class=\"words\">yes</td>"));
  EXPECT_TRUE(has(html, "No run has both nothing and reward."));
}

}  // namespace
}  // namespace compeer::report
