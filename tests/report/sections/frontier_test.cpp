#include "report/sections/frontier.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

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

TEST(Frontier, RingsWhatNoOtherBeatsInBoth) {
  const std::vector<RunData> runs = {measured("a", 1, 0.1, 0.10, 1.0), measured("b", 1, 0.2, 0.08, 2.0),
                                     measured("c", 1, 0.3, 0.09, 0.9), measured("d", 1, 0.4, 0.05, 2.0)};
  const auto groups = frontier_groups(runs, Lineage(runs), {"distinct_2", "reward"});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].heading, "Sampled, temperature 1");
  ASSERT_EQ(groups[0].dots.size(), 4u);
  EXPECT_TRUE(groups[0].dots[0].ringed);   // most varied
  EXPECT_TRUE(groups[0].dots[1].ringed);   // best, and more varied than d
  EXPECT_FALSE(groups[0].dots[2].ringed);  // a beats it in both
  EXPECT_FALSE(groups[0].dots[3].ringed);
}

TEST(Frontier, OfAMetricThatShouldBeLowRingsTheLowest) {
  std::vector<RunData> runs = {measured("a", 1, 0.1, 0.1, 1.0), measured("b", 1, 0.2, 0.1, 1.0)};
  runs[0].summary["redundancy/s_in"] = sample::around(0.2, 0.01);
  const auto groups = frontier_groups(runs, Lineage(runs), {"redundancy/s_in", "reward"});
  EXPECT_TRUE(groups[0].dots[0].ringed);  // 0.2 against 0.3
  EXPECT_FALSE(groups[0].dots[1].ringed);
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
  EXPECT_TRUE(has(html, "<title id=\"frontier-1-1-title\">reward against distinct-2, Sampled, temperature 1</title>"));
  EXPECT_TRUE(has(html, "class=\"ring\""));
  EXPECT_TRUE(has(html, "class=\"front\""));
  EXPECT_TRUE(has(html, "<td class=\"words\">yes</td>"));
  EXPECT_TRUE(has(html, "No run has both nothing and reward."));
}

TEST(ScatterPlot, LabelsDoNotCoverEachOther) {
  ScatterPlot plot{"s", "t", "d", "x", "y", {}};
  for (int i = 0; i < 3; ++i)
    plot.dots.push_back(
        {"label", "name", size_t(i), {1.5 + 0.001 * i, missing, missing, 0}, {1, missing, missing, 0}, false});
  plot.dots.push_back({"far", "far", 3, {2, missing, missing, 0}, {2, missing, missing, 0}, false});
  Markup out;
  draw(out, plot);
  const auto html = out.take();
  std::vector<std::string> places;
  for (size_t at = html.find("class=\"end-label\""); at != std::string::npos;
       at = html.find("class=\"end-label\"", at + 1)) {
    const size_t from = html.rfind("<text", at);
    places.push_back(html.substr(from, at - from));
  }
  ASSERT_EQ(places.size(), 4u);
  EXPECT_EQ(std::set<std::string>(places.begin(), places.end()).size(), 4u);
}

// "a label" is some 40 wide and 13 high.
TEST(ScatterPlot, LabelsOfACrowdStandApartWithLinesToTheirDots) {
  ScatterPlot plot{"s", "t", "d", "x", "y", {}};
  for (int i = 0; i < 12; ++i)
    plot.dots.push_back(
        {"a label", "name", size_t(i), {1.5 + 0.001 * i, missing, missing, 0}, {1, missing, missing, 0}, false});
  plot.dots.push_back({"far", "far", 3, {2, missing, missing, 0}, {2, missing, missing, 0}, false});
  Markup out;
  draw(out, plot);
  const auto html = out.take();
  const std::regex pattern("<text x=\"([^\"]*)\" y=\"([^\"]*)\" text-anchor=\"start\" class=\"end-label\"");
  std::vector<std::pair<double, double>> places;
  for (std::sregex_iterator i(html.begin(), html.end(), pattern), end; i != end; ++i)
    places.emplace_back(std::stod((*i)[1]), std::stod((*i)[2]));
  ASSERT_EQ(places.size(), 13u);
  for (size_t i = 0; i < places.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      const double across = std::abs(places[i].first - places[k].first);
      const double down = std::abs(places[i].second - places[k].second);
      EXPECT_TRUE(across > 35 || down > 12) << i << " covers " << k;
    }
  }
  EXPECT_TRUE(has(html, "class=\"leader\""));
}

}  // namespace
}  // namespace compeer::report
