#include "data/outcomes.h"

#include <gtest/gtest.h>

namespace compeer::data {
namespace {

// After how many records it is clear, if each portion of 10 records has as many questions and `malformed` of them.
int64_t ends_after(double share, int64_t records, int64_t questions, int64_t malformed) {
  UnreadableLimit unreadable(share, records);
  for (int64_t done = 0; done < records; done += 10) {
    if (unreadable.too_many_with({10, questions, malformed})) return unreadable.so_far().records;
  }
  return -1;
}

// Of 40 a tenth is 4.
TEST(UnreadableLimit, IsClearOnceMoreAreMalformedThanAreAllowedOfAll) {
  EXPECT_EQ(ends_after(0.1, 40, 10, 5), 10);
  EXPECT_EQ(ends_after(0.1, 40, 10, 2), 30) << "4 of 20 are allowed, 6 of 30 are too many";
  EXPECT_EQ(ends_after(0.1, 40, 10, 1), -1) << "exactly what is allowed";
  EXPECT_EQ(ends_after(0, 1000, 10, 1), 10);
  EXPECT_EQ(ends_after(1, 1000, 10, 10), -1);
}

// 0.1 + 3 sqrt(0.09 / 50) = 0.227; 0.1 + 3 sqrt(0.09 / 250) = 0.157, 0.1 + 3 sqrt(0.09 / 260) = 0.156.
TEST(UnreadableLimit, IsClearOnceTheShareIsFarAboveTheOneAllowed) {
  EXPECT_EQ(ends_after(0.1, 1000000, 10, 10), 50) << "not before 50 questions";
  EXPECT_EQ(ends_after(0.1, 1000000, 10, 3), 50);
  EXPECT_EQ(ends_after(0.1, 1000000, 10, 2), 90) << "0.2 > 0.1 + 3 sqrt(0.09 / 90) = 0.195";
  EXPECT_EQ(ends_after(0.1, 1000000, 10, 1), -1);
}

// Records that need no question are no sign of how many the others need.
TEST(UnreadableLimit, ExpectsAsManyQuestionsAsAnyPortionHad) {
  UnreadableLimit unreadable(0.1, 40);
  EXPECT_FALSE(unreadable.too_many_with({20, 0, 0}));
  EXPECT_FALSE(unreadable.too_many_with({10, 10, 2})) << "2 of 20";
  EXPECT_TRUE(unreadable.too_many_with({10, 5, 0})) << "2 of 15, now that all are known";
}

}  // namespace
}  // namespace compeer::data
