#include "base/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace compeer {
namespace {

using Words = std::array<uint32_t, 4>;

// The published known answers of Random123 (kat_vectors, philox4x32 10).
TEST(Philox, GivesThePublishedKnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  // Digits of pi.
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// Results must be reproducible bit by bit for years, so the random bits of a seed must never change.
TEST(RandomBits, MeanTheSameForEver) {
  EXPECT_EQ(random_bits(1, Stream::sampling, 2, 3, 4, 5), philox({2, 3, 4, 5}, {1u ^ 0x91C35F41u, 0x48180A9Fu}));
}

TEST(RandomBits, DifferInEveryArgument) {
  std::set<Words> seen;
  for (const uint64_t seed : {0ull, 1ull, 1ull << 32}) {
    for (const Stream stream : {Stream::weights, Stream::shuffle, Stream::sampling}) {
      for (uint32_t i = 0; i < 81; ++i) seen.insert(random_bits(seed, stream, i % 3, i / 3 % 3, i / 9 % 3, i / 27));
    }
  }
  EXPECT_EQ(seen.size(), 3u * 3u * 81u);
}

TEST(RandomBits, DoNotDependOnTheOrderOfCalls) {
  const auto first = random_bits(7, Stream::lua, 1);
  random_bits(7, Stream::lua, 2);
  EXPECT_EQ(random_bits(7, Stream::lua, 1), first);
}

// Chi-square statistic for equally likely cells. The draws are fixed, so the tests are deterministic; 99.9 % of good
// generators are below the bounds.
double chi_square(const std::vector<int>& counts) {
  double total = 0, sum = 0;
  for (const int n : counts) total += n;
  const double expected = total / static_cast<double>(counts.size());
  for (const int n : counts) sum += (n - expected) * (n - expected) / expected;
  return sum;
}

TEST(Uniform, FillsEqualCellsEqually) {
  for (const uint64_t seed : {1ull, 2ull, 3ull}) {
    std::vector<int> counts(100);
    for (uint32_t i = 0; i < 100000; ++i) ++counts.at(static_cast<size_t>(100 * uniform(seed, Stream::sampling, i)));
    EXPECT_LT(chi_square(counts), 148.2);  // 99 degrees of freedom
  }
}

TEST(Uniform, FillsPairsOfNeighbouringCountersEqually) {
  std::vector<int> counts(100);
  for (uint32_t i = 0; i < 100000; ++i) {
    const auto x = static_cast<size_t>(10 * uniform(5, Stream::sampling, i));
    const auto y = static_cast<size_t>(10 * uniform(5, Stream::sampling, i + 1));
    ++counts.at(10 * x + y);
  }
  EXPECT_LT(chi_square(counts), 148.2);
}

TEST(Uniform, StaysBelowOne) {
  double low = 1, high = 0;
  for (uint32_t i = 0; i < 100000; ++i) {
    const double u = uniform(9, Stream::world, 0, i);
    low = std::min(low, u), high = std::max(high, u);
  }
  EXPECT_GE(low, 0.0);
  EXPECT_LT(high, 1.0);
  EXPECT_LT(low, 1e-3);
  EXPECT_GT(high, 1 - 1e-3);
}

TEST(Below, CoversItsRangeEvenly) {
  std::vector<int> counts(7);
  for (uint32_t i = 0; i < 70000; ++i) ++counts.at(below(7, 1, Stream::shuffle, i));
  EXPECT_LT(chi_square(counts), 22.5);  // 6 degrees of freedom
}

TEST(Below, OneIsAlwaysZero) {
  for (uint32_t i = 0; i < 100; ++i) EXPECT_EQ(below(1, 1, Stream::shuffle, i), 0u);
}

TEST(Below, ReachesTheUpperHalfOfTheLargestRange) {
  bool reached = false;
  for (uint32_t i = 0; i < 64; ++i) reached = reached || below(UINT64_MAX, 1, Stream::shuffle, i) > UINT64_MAX / 2;
  EXPECT_TRUE(reached);
}

TEST(Normal, HasTheMomentsOfTheStandardNormal) {
  const int n = 200000;
  double sum = 0, squares = 0, fourths = 0;
  for (uint32_t i = 0; i < n; ++i) {
    const double x = normal(3, Stream::weights, i);
    ASSERT_TRUE(std::isfinite(x));
    sum += x, squares += x * x, fourths += x * x * x * x;
  }
  // Four standard errors: those of mean, variance and fourth moment are 1, sqrt(2) and sqrt(96) over sqrt(n).
  EXPECT_NEAR(sum / n, 0, 4 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 4 * std::sqrt(2.0 / n));
  EXPECT_NEAR(fourths / n, 3, 4 * std::sqrt(96.0 / n));
}

}  // namespace
}  // namespace compeer
