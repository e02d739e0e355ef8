#include "grpo/shaping.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace compeer::grpo {
namespace {

// With weights .7 and .5: [0, 1] onto [0, .7], and [-2, 2] onto [-1, 1].
TEST(Shaping, WithAWeightMapsARangeOntoAnother) {
  for (const auto& [reward, expected] : {std::pair{1.0, .7}, {.5, .35}, {.8, .56}})
    EXPECT_NEAR(.7 * shaped(reward, true, {0, 1}), expected, 1e-12);
  for (const auto& [reward, expected] :
       {std::pair{-2.8, -1.0}, {-.25, -.125}, {1.5, .75}, {.5, .25}, {2.0, 1.0}, {2.5, 1.0}})
    EXPECT_NEAR(.5 * shaped(reward, true, {-2, 2}), expected, 1e-12);
}

TEST(Shaping, ReducesRewardsOfCompletionsThatWereCutOff) {
  const Shaping half{.cut_off = .5};
  EXPECT_DOUBLE_EQ(shaped(1, true, half), 1);
  EXPECT_DOUBLE_EQ(shaped(.8, false, half), .4);
  EXPECT_DOUBLE_EQ(shaped(.6, true, half), .6);
  EXPECT_DOUBLE_EQ(shaped(.4, false, half), .2);
}

TEST(Shaping, LeavesNoOpinionAlone) { EXPECT_TRUE(std::isnan(shaped(std::nan(""), false, {0, 1, .5}))); }

}  // namespace
}  // namespace compeer::grpo
