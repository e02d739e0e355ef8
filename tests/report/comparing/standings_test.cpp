#include "report/comparing/standings.h"

#include <gtest/gtest.h>

#include "report/runs/run_data.h"

namespace compeer::report {
namespace {

TEST(Standings, MarkBestSecondAndWhatCantBeToldApart) {
  // 62 - 60: sqrt(1 + 9) = 3.2 > 2; 62 - 50: sqrt(1 + 1) < 12
  const std::vector<Estimate> all = {{60, 57, 63, 9}, {62, 61, 63, 9}, {50, 49, 51, 9}, {missing, missing, missing, 0}};
  const auto marks = standings(all, Better::higher);
  EXPECT_TRUE(marks[1].best && !marks[1].level);
  EXPECT_TRUE(marks[0].second && marks[0].level);
  EXPECT_FALSE(marks[2].best || marks[2].second || marks[2].level);
  EXPECT_FALSE(marks[3].best || marks[3].second || marks[3].level);
}

TEST(Standings, KnowWhereLowerIsBetter) {
  const std::vector<Estimate> all = {{0.2, 0.1, 0.3, 9}, {0.1, 0.05, 0.15, 9}};
  EXPECT_TRUE(standings(all, Better::lower)[1].best);
  EXPECT_TRUE(standings(all, Better::higher)[0].best);
  EXPECT_FALSE(standings(all, Better::unknown)[0].best);
}

TEST(Standings, MarkNothingWhereAllAreAlikeOrAlone) {
  EXPECT_FALSE(standings({{1, 0, 2, 9}}, Better::higher)[0].best);
  EXPECT_FALSE(standings({{1, 0, 2, 9}, {1, 0, 2, 9}}, Better::higher)[0].best);
}

}  // namespace
}  // namespace compeer::report
