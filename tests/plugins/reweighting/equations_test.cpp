#include "reweighting/redundancy/equations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace compeer::redundancy {

namespace {

TEST(Tau, IsHalfAtBetaAndRisesWithLength) {
  EXPECT_EQ(tau(0.5, 5.0, 5.0), 0.5);
  EXPECT_DOUBLE_EQ(tau(0.5, 5.0, 1.0), 1.0 / (1.0 + std::exp(2.0)));
  EXPECT_DOUBLE_EQ(tau(0.5, 5.0, 15.0), 1.0 / (1.0 + std::exp(-5.0)));
  EXPECT_GT(tau(0.5, 5.0, 15.0), 0.99) << "idle from about 15 tokens on";
  EXPECT_EQ(tau(0.5, 5.0, 1e9), 1.0);
}

TEST(Reweight, DividesByBothFactors) {
  // (1 + .5 .5) (1 + .5 .25) = 1.25 1.125 = 1.40625;  2 / 1.40625 = 1.4222...
  const auto [reward, divisor] = reweight(2.0, 0.5, 0.25, 0.5, Mode::paper);
  EXPECT_EQ(divisor, 1.40625);
  EXPECT_EQ(reward, 2.0 / 1.40625);
  EXPECT_EQ(reweight(2.0, 0.5, 0.25, 0.5, Mode::signed_).reward, reward);
}

TEST(Reweight, OfANegativeRewardIsWhereTheModesDiffer) {
  EXPECT_EQ(reweight(-2.0, 0.5, 0.25, 0.5, Mode::paper).reward, -2.0 / 1.40625) << "towards 0";
  EXPECT_EQ(reweight(-2.0, 0.5, 0.25, 0.5, Mode::signed_).reward, -2.8125) << "away from 0";
}

TEST(Reweight, ChangesNothingWithoutRedundancyOrForShortOutputs) {
  EXPECT_EQ(reweight(-1.5, 0.0, 0.0, 1.0, Mode::paper).reward, -1.5);
  EXPECT_EQ(reweight(1.5, 1.0, 1.0, 0.0, Mode::paper).reward, 1.5);
}

TEST(Reweight, RefusesADivisorThatIsNotPositive) {
  try {
    reweight(1.0, -1.0, 0.5, 1.0, Mode::paper);
    FAIL();
  } catch (const std::domain_error& error) {
    EXPECT_STREQ(error.what(),
                 "the divisor (1 + tau s_in) (1 + tau s_hi) of Eq. 5 needs both factors above 0: tau = 1.000000, "
                 "s_in = -1.000000, s_hi = 0.500000; set clamp_negative = true");
  }
  EXPECT_THROW(reweight(1.0, -1.0, -1.0, 1.0, Mode::paper), std::domain_error) << "0 times 0";
}

TEST(InGroup, IsTheMeanOverTheOthers) {
  const double row[] = {1.0, 0.5, 0.25, 0.0};
  EXPECT_EQ(in_group(row, 0, 4), 0.25);  // (.5 + .25 + 0) / 3
  EXPECT_EQ(in_group(row, 3, 4), 1.75 / 3);
  EXPECT_EQ(in_group(row, 0, 1), 0.0) << "no others";
}

TEST(InHistory, IsTheMeanOverUtterances) {
  const double row[] = {0.5, 0.25};
  EXPECT_EQ(in_history(row, 2), 0.375);
  EXPECT_EQ(in_history(row, 0), 0.0) << "no history";
}

}  // namespace

}  // namespace compeer::redundancy
