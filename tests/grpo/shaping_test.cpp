#include "grpo/shaping.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace compeer::grpo {
namespace {

// With weights .7 and .5: [0, 1] onto [0, .7], and [-2, 2] onto [-1, 1].
TEST(Shaping, WithAWeightMapsARangeOntoAnother) {
  for (const auto& [reward, expected] : {std::pair{1.0, .7}, {.5, .35}, {.8, .56}})
    EXPECT_NEAR(.7 * shaped(reward, 9, true, {0, 1}), expected, 1e-12);
  for (const auto& [reward, expected] :
       {std::pair{-2.8, -1.0}, {-.25, -.125}, {1.5, .75}, {.5, .25}, {2.0, 1.0}, {2.5, 1.0}})
    EXPECT_NEAR(.5 * shaped(reward, 9, true, {-2, 2}), expected, 1e-12);
}

TEST(Shaping, ReducesRewardsOfCompletionsThatWereCutOff) {
  const Shaping half{.cut_off = .5};
  EXPECT_DOUBLE_EQ(shaped(1, 9, true, half), 1);
  EXPECT_DOUBLE_EQ(shaped(.8, 9, false, half), .4);
  EXPECT_DOUBLE_EQ(shaped(.6, 9, true, half), .6);
  EXPECT_DOUBLE_EQ(shaped(.4, 9, false, half), .2);
}

// At 25 of 100 tokens cos = .70711: .5 + .25 (1 + .70711) = .92678; at 75: .5 + .25 (1 - .70711) = .57322.
TEST(Shaping, ByTheCosineOfTheLengthPrefersShortRightAndLongWrongAnswers) {
  const Shaping cosine{.cosine = CosineLength{100, 0.5}};
  for (const auto& [tokens, size] : {std::pair{0, 1.0}, {25, .92678}, {50, .75}, {75, .57322}, {100, .5}, {200, .5}}) {
    EXPECT_NEAR(shaped(1, tokens, true, cosine), size, 1e-5) << tokens;
    EXPECT_NEAR(shaped(.5, tokens, true, cosine), -size, 1e-5) << tokens;
  }
}

TEST(Shaping, LeavesNoOpinionAlone) { EXPECT_TRUE(std::isnan(shaped(std::nan(""), 9, false, {0, 1, .5}))); }

}  // namespace
}  // namespace compeer::grpo
