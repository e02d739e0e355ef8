#include "base/pages.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace compeer {
namespace {

// From within one huge page to within another, and less than one: neighbours keep what they have.
TEST(Zeros, AreZerosAgainWhereTheyWereCleared) {
  constexpr size_t item_count = 6 * huge_page, first_index = 1001, end_mark = item_count - 3003;
  const Zeros<std::byte> zeros(item_count);
  const auto all = zeros.all();
  EXPECT_EQ(std::ranges::count(all, std::byte{0}), item_count);
  for (const bool kept : {false, true}) {
    pages_kept = kept;
    for (const size_t end : {end_mark, first_index + 5000}) {
      std::ranges::fill(all, std::byte{1});
      clear(all.subspan(first_index, end - first_index));
      EXPECT_EQ(std::ranges::count(all, std::byte{0}), end - first_index);
      EXPECT_EQ(std::ranges::count(all.first(first_index), std::byte{1}), first_index);
      EXPECT_EQ(std::ranges::count(all.subspan(end), std::byte{1}), item_count - end);
    }
  }
  pages_kept = false;
}

TEST(Forget, LosesNothingThatIsKept) {
  const Zeros<std::byte> zeros(4 * huge_page);
  std::ranges::fill(zeros.all(), std::byte{1});
  pages_kept = true;
  EXPECT_TRUE(forget(zeros.all().data(), zeros.all().size()).empty());
  EXPECT_EQ(std::ranges::count(zeros.all(), std::byte{1}), 4 * huge_page);
  pages_kept = false;
  EXPECT_EQ(forget(zeros.all().data(), zeros.all().size()).size(), 4 * huge_page);
  EXPECT_EQ(std::ranges::count(zeros.all(), std::byte{0}), 4 * huge_page);
}

TEST(Zeros, OfNothingAreEmpty) {
  const Zeros<float> none(0);
  EXPECT_TRUE(none.empty());
  EXPECT_TRUE(none.all().empty());
}

}  // namespace
}  // namespace compeer
