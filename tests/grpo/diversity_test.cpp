#include "grpo/diversity.h"

#include <gtest/gtest.h>

namespace compeer::grpo {
namespace {

TEST(Distinct, CountsDifferentNgramsOverAll) {
  EXPECT_DOUBLE_EQ(distinct({"a b a b"}, 1), 2.0 / 4.0);
  EXPECT_DOUBLE_EQ(distinct({"a b a b"}, 2), 2.0 / 3.0);  // ab, ba, ab
}

TEST(Distinct, CountsOverAllTextsTogetherButNotAcrossThem) {
  EXPECT_DOUBLE_EQ(distinct({"a b", "a b"}, 2), 1.0 / 2.0);
  EXPECT_DOUBLE_EQ(distinct({"a", "b"}, 2), 0.0);
}

TEST(Distinct, OfNothingIsZero) { EXPECT_DOUBLE_EQ(distinct({}, 1), 0.0); }

}  // namespace
}  // namespace compeer::grpo
