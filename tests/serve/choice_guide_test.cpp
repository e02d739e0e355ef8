#include "serve/open_answer.h"

#include <gtest/gtest.h>

namespace compeer::serve {
namespace {

using Ids = std::vector<int32_t>;

ChoiceGuide guide_of(std::vector<Ids> sequences, Ids ends) {
  return {std::make_shared<const std::vector<Ids>>(std::move(sequences)), std::move(ends)};
}

TEST(ChoiceGuide, AllowsWhatSomeSequenceGoesOnWith) {
  auto guide = guide_of({{1, 2, 3}, {1, 4}, {5}}, {9});
  EXPECT_EQ(guide.allowed(), (Ids{1, 5}));
  EXPECT_FALSE(guide.push(1));
  EXPECT_EQ(guide.allowed(), (Ids{2, 4}));
  EXPECT_FALSE(guide.push(2));
  EXPECT_EQ(guide.allowed(), (Ids{3}));
  EXPECT_TRUE(guide.push(3));
}

TEST(ChoiceGuide, EndsAtOnceWhereNothingElseCanFollow) { EXPECT_TRUE(guide_of({{5}, {1, 2}}, {9}).push(5)); }

TEST(ChoiceGuide, AsksForAnEndBehindWhatOthersGoOnFrom) {
  auto guide = guide_of({{1}, {1, 2}}, {9, 8});
  EXPECT_FALSE(guide.push(1));
  EXPECT_EQ(guide.allowed(), (Ids{2, 8, 9}));
  EXPECT_TRUE(guide.push(2));
}

}  // namespace
}  // namespace compeer::serve
