#include "base/pages.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace compeer {
namespace {

// From within one huge page to within another, and less than one: neighbours keep what they have.
TEST(Zeros, AreZerosAgainWhereTheyWereCleared) {
  constexpr size_t kCount = 6 * kHugePage, kFirst = 1001, kEnd = kCount - 3003;
  const Zeros<std::byte> zeros(kCount);
  const auto all = zeros.all();
  EXPECT_EQ(std::ranges::count(all, std::byte{0}), kCount);
  for (const bool kept : {false, true}) {
    pages_kept = kept;
    for (const size_t end : {kEnd, kFirst + 5000}) {
      std::ranges::fill(all, std::byte{1});
      clear(all.subspan(kFirst, end - kFirst));
      EXPECT_EQ(std::ranges::count(all, std::byte{0}), end - kFirst);
      EXPECT_EQ(std::ranges::count(all.first(kFirst), std::byte{1}), kFirst);
      EXPECT_EQ(std::ranges::count(all.subspan(end), std::byte{1}), kCount - end);
    }
  }
  pages_kept = false;
}

TEST(Forget, LosesNothingThatIsKept) {
  const Zeros<std::byte> zeros(4 * kHugePage);
  std::ranges::fill(zeros.all(), std::byte{1});
  pages_kept = true;
  EXPECT_TRUE(forget(zeros.all().data(), zeros.all().size()).empty());
  EXPECT_EQ(std::ranges::count(zeros.all(), std::byte{1}), 4 * kHugePage);
  pages_kept = false;
  EXPECT_EQ(forget(zeros.all().data(), zeros.all().size()).size(), 4 * kHugePage);
  EXPECT_EQ(std::ranges::count(zeros.all(), std::byte{0}), 4 * kHugePage);
}

TEST(Zeros, OfNothingAreEmpty) {
  const Zeros<float> none(0);
  EXPECT_TRUE(none.empty());
  EXPECT_TRUE(none.all().empty());
}

}  // namespace
}  // namespace compeer
