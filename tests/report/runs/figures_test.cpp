#include "report/runs/figures.h"

#include <gtest/gtest.h>

#include "../sample_runs.h"

namespace compeer::report {
namespace {

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
