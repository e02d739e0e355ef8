#include "rollout/sampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace compeer::rollout {
namespace {

const std::vector<float> kLogits{std::log(0.1f), std::log(0.2f), std::log(0.3f), std::log(0.4f)};

TEST(Sample, RecordsTheTemperedLogProbability) {
  Sampling sampling;
  sampling.greedy = true;
  const Token plain = sample(kLogits.data(), 4, sampling, {});
  EXPECT_EQ(plain.id, 3);
  EXPECT_NEAR(plain.log_prob, std::log(0.4), 1e-6);
  EXPECT_NEAR(plain.entropy, 1.2798542, 1e-5);  // -(.1 ln .1 + .2 ln .2 + .3 ln .3 + .4 ln .4)
  sampling.temperature = 0.5;                   // squares: .01 .04 .09 .16 of .30
  EXPECT_NEAR(sample(kLogits.data(), 4, sampling, {}).log_prob, std::log(0.16 / 0.30), 1e-6);
}

// 40,000 draws, four outcomes: the chi-square with 3 degrees of freedom stays below 16.27 but for one seed in 1,000.
TEST(Sample, DrawsFromTheDistribution) {
  std::vector<double> counts(4);
  for (uint32_t i = 0; i < 40000; ++i) ++counts[static_cast<size_t>(sample(kLogits.data(), 4, {}, {1, i, 0, 0, 0}).id)];
  double chi = 0;
  for (size_t i = 0; i < 4; ++i) {
    const double expected = 40000 * std::exp(static_cast<double>(kLogits[i]));
    chi += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  EXPECT_LT(chi, 16.27);
}

TEST(Sample, DependsOnEveryPartOfItsPlace) {
  std::vector<float> flat(1000, 0.0f);
  const auto draw = [&](Draw d) { return sample(flat.data(), 1000, {}, d).id; };
  const int32_t base = draw({1, 2, 3, 4, 5});
  EXPECT_EQ(draw({1, 2, 3, 4, 5}), base);
  for (const Draw& other :
       {Draw{9, 2, 3, 4, 5}, Draw{1, 9, 3, 4, 5}, Draw{1, 2, 9, 4, 5}, Draw{1, 2, 3, 9, 5}, Draw{1, 2, 3, 4, 9}}) {
    EXPECT_NE(draw(other), base);
  }
}

}  // namespace
}  // namespace compeer::rollout
