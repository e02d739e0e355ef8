#include "report/runs/metrics.h"

#include <gtest/gtest.h>

#include "../sample_runs.h"

namespace compeer::report {
namespace {

TEST(Metrics, KnowTheirTopicAndDirection) {
  EXPECT_EQ(describe("reward").better, Better::higher);
  EXPECT_EQ(describe("redundancy/s_in").topic, Topic::redundancy);
  EXPECT_EQ(describe("redundancy/s_in").better, Better::lower);
  EXPECT_EQ(describe("redundancy/s_in").title, "similarity in the group");
  EXPECT_EQ(describe("dra/gain").topic, Topic::redundancy);
  EXPECT_EQ(describe("dra/gain").title, "gain");
  EXPECT_EQ(describe("seconds/rollout").topic, Topic::timing);
  EXPECT_EQ(describe("length").better, Better::unknown);
  EXPECT_EQ(describe("never_heard_of").topic, Topic::other);
}

TEST(Metrics, OfRewardsAreNamedByPartAndLabel) {
  const Metric quality = describe("rewards/truth/quality");
  EXPECT_EQ(quality.title, "quality");
  EXPECT_EQ(quality.from, "truth");
  EXPECT_EQ(quality.better, Better::higher);
  EXPECT_EQ(describe("rewards/length").title, "length");
}

TEST(Metrics, OfValidationBelongToNoReweighting) {
  const Metric loss = describe("validation/loss");
  EXPECT_EQ(loss.topic, Topic::validation);
  EXPECT_EQ(heading(loss.topic), "Validation");
  EXPECT_EQ(loss.title, "loss");
  EXPECT_EQ(loss.from, "validation");
  EXPECT_EQ(loss.better, Better::lower);
  EXPECT_EQ(describe("validation/rewards/truth/quality").title, "truth quality");
  EXPECT_EQ(describe("validation/rewards/truth/quality").better, Better::higher);
  EXPECT_EQ(describe("seconds/validation").topic, Topic::timing);
}

TEST(Metrics, OfFaultsHaveNoDirection) { EXPECT_EQ(describe("rewards/truth/unparsable").better, Better::unknown); }

TEST(Metrics, AReward_sOwnPartIsNotTakenForTheRunner_sMetric) {
  // A reward may call a part s_in; that doesn't make it a reweighting's factor.
  EXPECT_EQ(describe("rewards/mine/s_in").topic, Topic::reward);
}

TEST(Metrics, OfValidationComeInTheOrderInWhichTheyWereRecorded) {
  RunData run;
  run.recorded = {"loss", "validation/redundancy/s_in", "validation/reward", "reward"};
  std::vector<std::string> names;
  for (const auto& metric : metrics_of({&run})) names.push_back(metric.name);
  EXPECT_EQ(names, (std::vector<std::string>{"reward", "validation/redundancy/s_in", "validation/reward", "loss"}));
}

TEST(Metrics, ComeInReadingOrderWithoutBookkeeping) {
  RunData run;
  run.recorded = {"step", "lr", "rewards/z/b", "rewards/z/a", "reward", "entropy", "seconds/x"};
  for (const auto& name : run.recorded) run.columns[name] = {1};
  std::vector<std::string> names;
  for (const auto& metric : metrics_of({&run})) names.push_back(metric.name);
  EXPECT_EQ(names, (std::vector<std::string>{"reward", "rewards/z/b", "rewards/z/a", "entropy", "lr", "seconds/x"}));
}

TEST(Figures, AreFoundWhereverFindingsHaveThem) {
  const auto all = figures_of({{"columns", {"x"}},
                               {"curves", {{"emotion", {sample::figure(1, 1)}}}},
                               {"n", 12},
                               {"x", {{"value", 2.5}, {"low", nullptr}, {"high", nullptr}}},
                               {"judges", {"a", "b"}},
                               {"reply", {{"confusion", {{1, 2}, {3, 4}}}, {"f1", sample::figure(0.5, 0.1, 7)}}}});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all.at("n").mean, 12);
  EXPECT_FALSE(all.at("x").has_interval());
  EXPECT_DOUBLE_EQ(all.at("reply/f1").low, 0.4);
  EXPECT_EQ(all.at("reply/f1").n, 7);
}

TEST(Figures, AreBetterTheWayTheirStageSays) {
  const auto ways = ways_of({{"better", {{"higher", {"f1", 3}}, {"lower", {"failure"}}}}});
  EXPECT_EQ(better_of(ways, "reply/f1"), Better::higher);
  EXPECT_EQ(better_of(ways, "failure"), Better::lower);
  EXPECT_EQ(better_of(ways, "f1/n"), Better::unknown);
  EXPECT_TRUE(ways_of({{"better", {{"higher", "f1"}}}}).empty());
  EXPECT_TRUE(ways_of({{"better", 3}}).empty());
  EXPECT_TRUE(ways_of(nullptr).empty());
}

}  // namespace
}  // namespace compeer::report
