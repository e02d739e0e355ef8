#include "rollout/drafts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace compeer::rollout {
namespace {

using Tokens = std::vector<int32_t>;

void learn(Drafts& drafts, const Tokens& text) {
  for (size_t end = 1; end <= text.size(); ++end) drafts.learn(std::span(text).first(end));
}

TEST(Drafts, GuessesWhatWasSaidMoreThanOnce) {
  Drafts drafts;
  const Tokens text{5, 6, 7, 8, 9, 10};
  learn(drafts, text);
  EXPECT_EQ(drafts.guess(Tokens{5, 6, 7}, 8), Tokens{});
  learn(drafts, text);
  EXPECT_EQ(drafts.guess(Tokens{5, 6, 7}, 8), (Tokens{8, 9, 10}));
  EXPECT_EQ(drafts.guess(Tokens{1, 1, 5, 6, 7}, 2), (Tokens{8, 9}));
  EXPECT_EQ(drafts.guess(Tokens{6, 5, 7}, 8), Tokens{});
  EXPECT_EQ(drafts.guess(Tokens{6, 7}, 8), Tokens{});
  EXPECT_EQ(drafts.guess(Tokens{5, 6, 7}, 0), Tokens{});
}

TEST(Drafts, FollowWhatIsSaidOfLate) {
  Drafts drafts;
  for (int i = 0; i < 100; ++i) learn(drafts, {5, 6, 7, 8});
  for (int i = 0; i < 12; ++i) learn(drafts, {5, 6, 7, 9});
  EXPECT_EQ(drafts.guess(Tokens{5, 6, 7}, 1), Tokens{9});
  learn(drafts, {5, 6, 7, 8});
  EXPECT_EQ(drafts.guess(Tokens{5, 6, 7}, 1), Tokens{9});
}

TEST(Drafts, GoRoundInCircles) {
  Drafts drafts;
  learn(drafts, {1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3});
  EXPECT_EQ(drafts.guess(Tokens{1, 2, 3}, 7), (Tokens{1, 2, 3, 1, 2, 3, 1}));
}

// A pass whose time is `seconds(rows)`, where so many of the tokens that are guessed for a sequence are right.
int64_t settled(int64_t sequences, int64_t right, double (*seconds)(int64_t rows)) {
  DraftLength length;
  std::map<int64_t, int> used;
  for (int pass = 0; pass < 1000; ++pass) {
    const int64_t guessed = length.next(sequences);
    ++used[guessed];
    length.measured(sequences * (1 + std::min(guessed, right)), seconds(sequences * (1 + guessed)));
  }
  const auto best = std::max_element(used.begin(), used.end(), [](auto& a, auto& b) { return a.second < b.second; });
  EXPECT_GT(best->second, 900);
  return best->first;
}

TEST(DraftLength, IsWhatGivesMostTokensASecond) {
  const auto always_the_same = [](int64_t) { return 1.0; };
  const auto by_rows = [](int64_t rows) { return 0.1 * static_cast<double>(rows); };
  const auto by_rows_from_eight = [](int64_t rows) { return static_cast<double>(std::max<int64_t>(rows, 8)); };
  EXPECT_EQ(settled(1, 7, always_the_same), 7);
  EXPECT_EQ(settled(1, 1, by_rows_from_eight), 1);
  EXPECT_EQ(settled(4, 7, by_rows_from_eight), 1);
  EXPECT_EQ(settled(2, 7, by_rows_from_eight), 3);
  EXPECT_EQ(settled(8, 0, by_rows), 0);
}

TEST(DraftLength, LeavesAFullPassAlone) {
  DraftLength length(7);
  EXPECT_EQ(length.next(1), 7);
  EXPECT_EQ(length.next(8), 7);
  EXPECT_EQ(length.next(16), 3);
  EXPECT_EQ(length.next(32), 1);
  EXPECT_EQ(length.next(33), 0);
  EXPECT_EQ(length.next(64), 0);
  EXPECT_EQ(length.next(1000), 0);
}

TEST(DraftLength, TriesAgainWhatDidNotPay) {
  DraftLength length;
  int64_t right = 0;
  const auto pass = [&] {
    const int64_t guessed = length.next(1);
    length.measured(1 + std::min(guessed, right), 1.0 + 0.01 * static_cast<double>(guessed));
    return guessed;
  };
  for (int i = 0; i < 500; ++i) pass();
  EXPECT_EQ(pass() + pass(), 0);
  right = 7;
  for (int i = 0; i < 500; ++i) pass();
  EXPECT_GE(pass() + pass(), 7);
}

}  // namespace
}  // namespace compeer::rollout
