#include "rollout/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "base/random.h"
#include "kernels/instruction_set.h"

namespace compeer::rollout {
namespace {

using Ids = std::vector<int32_t>;

std::vector<float> logits_of(const std::vector<double>& probabilities) {
  std::vector<float> logits;
  for (const double p : probabilities) logits.push_back(static_cast<float>(std::log(p)));
  return logits;
}

const std::vector<float> four_logits = logits_of({0.1, 0.2, 0.3, 0.4});

Sampling with(const std::function<void(Sampling&)>& change) {
  Sampling sampling;
  change(sampling);
  return sampling;
}

SampledToken draw(std::vector<float> logits, const Sampling& sampling, const TokenDraw& place = {},
                  const Ids& seen = {}) {
  return Sampler(sampling, static_cast<int64_t>(logits.size())).sample(logits.data(), seen, place);
}

FilteredDistribution kept(std::vector<float> logits, const Sampling& sampling, const Ids& seen = {}) {
  return Sampler(sampling, static_cast<int64_t>(logits.size())).filtered_distribution(logits.data(), seen);
}

// Logits distributed like a model's, the same on any machine.
std::vector<float> random_logits(int64_t count, double spread) {
  std::vector<float> logits;
  for (int64_t i = 0; i < count; ++i)
    logits.push_back(static_cast<float>(spread * normal(5, Stream::plugin, static_cast<uint32_t>(i))));
  return logits;
}

TEST(Sampling, RecordsTheTemperedLogProbability) {
  auto sampling = with([](auto& s) { s.greedy = true; });
  const SampledToken plain = draw(four_logits, sampling);
  EXPECT_EQ(plain.id, 3);
  EXPECT_NEAR(plain.log_prob, std::log(0.4), 1e-6);
  EXPECT_NEAR(plain.entropy, 1.2798542, 1e-5);  // -(.1 ln .1 + .2 ln .2 + .3 ln .3 + .4 ln .4)
  sampling.temperature = 0.5;                   // squared probabilities: .01 .04 .09 .16 of .30
  EXPECT_NEAR(draw(four_logits, sampling).log_prob, std::log(0.16 / 0.30), 1e-6);
}

TEST(Sampling, RecordsTheLogProbabilityBeforeFiltersAndPenalty) {
  const auto sampling = with([](auto& s) { s.top_k = 1, s.repetition_penalty = 5; });
  const SampledToken token =
      draw(four_logits, sampling, {}, {3});  // ln .4 becomes 5 ln .4: the second most probable token is drawn
  EXPECT_EQ(token.id, 2);
  EXPECT_NEAR(token.log_prob, std::log(0.3), 1e-6);
  EXPECT_NEAR(token.entropy, 1.2798542, 1e-5);
}

// The chi-square statistic with 3 degrees of freedom is below 16.27 for 999 of 1,000 seeds.
double chi_square(const Sampling& sampling, const std::vector<double>& expected) {
  std::vector<double> counts(expected.size());
  for (uint32_t i = 0; i < 40000; ++i) ++counts[static_cast<size_t>(draw(four_logits, sampling, {1, i, 0, 0, 0}).id)];
  double chi = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (expected[i] > 0) {
      chi += std::pow(counts[i] - 40000 * expected[i], 2) / (40000 * expected[i]);
    } else {
      EXPECT_EQ(counts[i], 0);
    }
  }
  return chi;
}

TEST(Sampling, DrawsFromTheDistribution) { EXPECT_LT(chi_square({}, {0.1, 0.2, 0.3, 0.4}), 16.27); }

TEST(Sampling, DrawsFromWhatTheFiltersLeave) {
  EXPECT_LT(chi_square(with([](auto& s) { s.top_k = 2; }), {0, 0, 3.0 / 7, 4.0 / 7}), 16.27);
  EXPECT_LT(chi_square(with([](auto& s) { s.top_p = 0.75; }), {0, 2.0 / 9, 3.0 / 9, 4.0 / 9}), 16.27);
  EXPECT_LT(chi_square(with([](auto& s) { s.min_p = 0.6; }), {0, 0, 3.0 / 7, 4.0 / 7}), 16.27);
}

TEST(Sampling, DrawsFromEveryTileInProportion) {
  // 5000 tokens make three tiles; the second contains a quarter of the probability and the third three quarters.
  std::vector<float> logits(5000, -200.0f);
  logits[3000] = std::log(0.25f), logits[4999] = std::log(0.75f);
  int third = 0;
  for (uint32_t i = 0; i < 4000; ++i) {
    const int32_t id = draw(logits, {}, {3, i, 0, 0, 0}).id;
    ASSERT_TRUE(id == 3000 || id == 4999) << id;
    third += id == 4999;
  }
  EXPECT_NEAR(third, 3000, 4 * std::sqrt(4000 * 0.25 * 0.75));
}

TEST(Sampling, DependsOnEveryPartOfItsPlace) {
  const std::vector<float> flat(1000, 0.0f);
  const int32_t base = draw(flat, {}, {1, 2, 3, 4, 5}).id;
  EXPECT_EQ(draw(flat, {}, {1, 2, 3, 4, 5}).id, base);
  for (const TokenDraw& other : {TokenDraw{9, 2, 3, 4, 5}, TokenDraw{1, 9, 3, 4, 5}, TokenDraw{1, 2, 9, 4, 5},
                                 TokenDraw{1, 2, 3, 9, 5}, TokenDraw{1, 2, 3, 4, 9}}) {
    EXPECT_NE(draw(flat, {}, other).id, base);
  }
}

TEST(Sampling, IsTheSameWithAnyInstructionSet) {
  const std::string usual = kernels::instruction_set();
  const auto logits = random_logits(9001, 3);
  const auto all = [&] {
    std::vector<float> results;
    for (const Sampling& sampling :
         {Sampling{}, with([](auto& s) { s.top_p = 0.9; }), with([](auto& s) { s.top_k = 40, s.temperature = 0.7; }),
          with([](auto& s) { s.min_p = 0.01; }), with([](auto& s) { s.greedy = true; })}) {
      for (uint32_t i = 0; i < 50; ++i) {
        const SampledToken token = draw(logits, sampling, {1, i, 0, 0, 0});
        results.insert(results.end(), {static_cast<float>(token.id), token.log_prob, token.entropy});
      }
    }
    return results;
  };
  const auto expected = all();
  for (const auto& name : kernels::instruction_sets()) {
    ASSERT_TRUE(kernels::use_instruction_set(name));
    EXPECT_EQ(all(), expected) << name;
  }
  kernels::use_instruction_set(usual);
}

TEST(TopK, KeepsAllThatTieWithTheKth) {
  const auto logits = logits_of({0.3, 0.1, 0.1, 0.3, 0.1, 0.1});
  EXPECT_EQ(kept(logits, with([](auto& s) { s.top_k = 1; })).ids, (Ids{0, 3}));
  EXPECT_EQ(kept(logits, with([](auto& s) { s.top_k = 3; })).ids, (Ids{0, 1, 2, 3, 4, 5}));
}

TEST(TopK, IsOffAtZeroAndAtTheVocabulary) {
  EXPECT_EQ(kept(four_logits, with([](auto& s) { s.top_k = 0; })).ids, (Ids{0, 1, 2, 3}));
  EXPECT_EQ(kept(four_logits, with([](auto& s) { s.top_k = 400; })).ids, (Ids{0, 1, 2, 3}));
}

// Compares with a plain sort, at sizes around the block sizes of the fast algorithm.
TEST(TopK, FindsTheLikeliestOfAny) {
  for (const int64_t count : {5, 16, 17, 511, 513, 5000}) {
    const auto logits = random_logits(count, 2);
    for (const int64_t k : {1, 2, 5, 50, 700}) {
      if (k >= count) continue;
      Ids order(static_cast<size_t>(count));
      for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
      std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return logits[a] > logits[b]; });
      order.resize(static_cast<size_t>(k));
      std::sort(order.begin(), order.end());
      EXPECT_EQ(kept(logits, with([&](auto& s) { s.top_k = k; })).ids, order) << count << " " << k;
    }
  }
}

TEST(TopP, KeepsTheSmallestSetThatIsLikelyEnough) {
  EXPECT_EQ(kept(four_logits, with([](auto& s) { s.top_p = 0.39; })).ids, (Ids{3}));
  EXPECT_EQ(kept(four_logits, with([](auto& s) { s.top_p = 0.41; })).ids, (Ids{2, 3}));
  EXPECT_EQ(kept(four_logits, with([](auto& s) { s.top_p = 0.95; })).ids, (Ids{0, 1, 2, 3}));
  EXPECT_EQ(kept(four_logits, with([](auto& s) { s.top_p = 1e-6; })).ids, (Ids{3}));
}

TEST(TopP, MeasuresWhatTopKLeaves) {
  // .3 and .4 of .7: the more probable one alone has 0.571
  EXPECT_EQ(kept(four_logits, with([](auto& s) { s.top_k = 2, s.top_p = 0.55; })).ids, (Ids{3}));
  EXPECT_EQ(kept(four_logits, with([](auto& s) { s.top_k = 2, s.top_p = 0.6; })).ids, (Ids{2, 3}));
}

TEST(TopP, TakesTheFirstOfThoseThatTie) {
  EXPECT_EQ(kept(std::vector<float>(10, 1.0f), with([](auto& s) { s.top_p = 0.35; })).ids, (Ids{0, 1, 2, 3}));
}

TEST(MinP, KeepsWhatHasAShareOfTheLikeliest) {
  EXPECT_EQ(kept(four_logits, with([](auto& s) { s.min_p = 0.49; })).ids, (Ids{1, 2, 3}));
  EXPECT_EQ(kept(four_logits, with([](auto& s) { s.min_p = 0.51; })).ids, (Ids{2, 3}));
  EXPECT_EQ(kept(four_logits, with([](auto& s) { s.min_p = 1; })).ids, (Ids{3}));
}

TEST(RepetitionPenalty, DividesPositiveLogitsAndMultipliesNegativeOnes) {
  const auto result = kept({2.0f, -2.0f, 1.0f}, with([](auto& s) { s.repetition_penalty = 2; }), {0, 1});
  const double sum = std::exp(1.0) + std::exp(-4.0) + std::exp(1.0);  // logits 1, -4, 1
  ASSERT_EQ(result.ids, (Ids{0, 1, 2}));
  EXPECT_NEAR(result.probabilities[0], std::exp(1.0) / sum, 1e-12);
  EXPECT_NEAR(result.probabilities[1], std::exp(-4.0) / sum, 1e-12);
}

TEST(Sampling, SaysWhenLogitsAreNotFinite) {
  auto logits = four_logits;
  logits[1] = std::numeric_limits<float>::quiet_NaN();
  for (const int64_t k : {0, 2}) EXPECT_TRUE(std::isnan(draw(logits, with([&](auto& s) { s.top_k = k; })).log_prob));
}

TEST(Nucleus, CutsInsideABucketOfNearlyEqualWeights) {
  // Ten unsorted weights that differ only in their last bits.
  std::vector<float> weights;
  for (int i = 0; i < 10; ++i) weights.push_back(0.5f + static_cast<float>((i * 7) % 10) * 0x1p-24f);
  const Cutoff cut = top_p_cutoff(weights, 1.6);  // four of the ten
  EXPECT_EQ(cut.least, 0.5f + 6 * 0x1p-24f);
  EXPECT_EQ(cut.ties, 1);
}

TEST(Nucleus, KeepsEverythingIfTheTargetIsOutOfReach) {
  const std::vector<float> weights{0.25f, 0.0f, 0.5f};
  const Cutoff cut = top_p_cutoff(weights, 0.7500001);
  EXPECT_EQ(cut.least, 0.25f);
  EXPECT_EQ(cut.ties, 1);
}

}  // namespace
}  // namespace compeer::rollout
