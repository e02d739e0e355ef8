#include "report/sections/frontier.h"

#include <gtest/gtest.h>

#include "../sample_runs.h"

namespace compeer::report {
namespace {

RunData measured(const std::string& name, int seed, double alpha, double distinct, double reward) {
  auto made = sample::evaluation(name, "models/m", false, 0.5, 0.3, distinct);
  made.spec["seed"] = seed;
  made.spec["reweighting"]["alpha"] = alpha;
  made.summary["reward"] = sample::around(reward, 0.1);
  return made;
}

bool has(const std::string& html, const std::string& what) { return html.find(what) != std::string::npos; }

TEST(Frontier, IsWhatNoOtherBeatsInBoth) {
  const std::vector<RunData> runs = {measured("a", 1, 0.1, 0.10, 1.0), measured("b", 1, 0.2, 0.08, 2.0),
                                     measured("c", 1, 0.3, 0.09, 0.9), measured("d", 1, 0.4, 0.05, 2.0)};
  const auto groups = frontier_groups(runs, Lineage(runs), {"distinct_2", "reward"});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].heading, "Sampled, temperature 1");
  ASSERT_EQ(groups[0].dots.size(), 4u);
  EXPECT_TRUE(groups[0].dots[0].on_front);   // most varied
  EXPECT_TRUE(groups[0].dots[1].on_front);   // best, and more varied than d
  EXPECT_FALSE(groups[0].dots[2].on_front);  // a beats it in both
  EXPECT_FALSE(groups[0].dots[3].on_front);
}

TEST(Frontier, OfAMetricThatShouldBeLowHoldsTheLowest) {
  std::vector<RunData> runs = {measured("a", 1, 0.1, 0.1, 1.0), measured("b", 1, 0.2, 0.1, 1.0)};
  runs[0].summary["redundancy/s_in"] = sample::around(0.2, 0.01);
  const auto groups = frontier_groups(runs, Lineage(runs), {"redundancy/s_in", "reward"});
  EXPECT_TRUE(groups[0].dots[0].on_front);  // 0.2 against 0.3
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
  EXPECT_NEAR(groups[0].dots[1].y.high, 2 + 4.303 / std::sqrt(3.0), 1e-3);  // of 1, 2, 3: sd 1
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
