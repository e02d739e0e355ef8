#include "statistics/classification.h"

#include <gtest/gtest.h>

#include <vector>

namespace compeer::statistics {
namespace {

using Values = std::vector<double>;

// 3 is above 2, 1 and -1, and ties with 3: 3.5. 1 is above -1, and ties with 1: 1.5.
TEST(Order, CountsPairsAndTiesByHalf) {
  EXPECT_EQ(in_order(Values{3, 1}, Values{2, 3, 1, -1}), 5);
  EXPECT_EQ(in_order(Values{2, 3, 1, -1}, Values{3, 1}), 3) << "the rest of the 8 pairs";
}

TEST(Order, IsHalfOfThePairsWhereAllTie) { EXPECT_EQ(in_order(Values{1, 1, 1}, Values{1, 1}), 3); }

TEST(Order, IsNothingOfNoPairs) {
  EXPECT_EQ(in_order(Values{1, 2}, Values{}), 0);
  EXPECT_EQ(in_order(Values{}, Values{1, 2}), 0);
}

}  // namespace
}  // namespace compeer::statistics
