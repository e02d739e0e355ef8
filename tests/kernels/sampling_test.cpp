#include "kernels/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"
#include "kernels/instruction_set.h"

namespace compeer::kernels {
namespace {

// Sizes around vectors of 8 and 16, runs of 16, sets of 512.
const std::vector<int64_t> counts{1, 7, 8, 15, 16, 17, 33, 511, 512, 513, 3000};

std::vector<float> numbers(int64_t count) {
  std::vector<float> all;
  for (int64_t i = 0; i < count; ++i)
    all.push_back(
        static_cast<float>(normal(1, Stream::plugin, static_cast<uint32_t>(i), static_cast<uint32_t>(count))));
  return all;
}

TEST(SamplingKernels, FindTheFirstOfTheLargest) {
  for (const int64_t count : counts) {
    auto x = numbers(count);
    EXPECT_EQ(argmax(x.data(), count), std::max_element(x.begin(), x.end()) - x.begin()) << count;
    for (const int64_t at : {count - 1, count / 2, count / 3}) {
      x[static_cast<size_t>(at)] = 9;  // from the back, so that the last one set is the first of all
      EXPECT_EQ(argmax(x.data(), count), at) << count;
    }
  }
  const std::vector<float> nothing(20, std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(argmax(nothing.data(), 20), 0);
}

TEST(SamplingKernels, FindThePlacesOfWhatIsLargeEnough) {
  for (const int64_t count : counts) {
    const auto x = numbers(count);
    std::vector<int32_t> places(static_cast<size_t>(count) + 16), expected;
    for (int64_t i = 0; i < count; ++i) {
      if (x[static_cast<size_t>(i)] * 2.0f >= 0.5f) expected.push_back(static_cast<int32_t>(i));
    }
    places.resize(static_cast<size_t>(at_least(x.data(), count, 2.0f, 0.5f, places.data())));
    EXPECT_EQ(places, expected) << count;
  }
}

TEST(SamplingKernels, TakeMaximaThatStandForAll) {
  for (const int64_t count : counts) {
    const auto x = numbers(count);
    std::vector<float> maxima(static_cast<size_t>((count + 511) / 512 * 16));
    EXPECT_EQ(lane_maxima(x.data(), count, maxima.data()), static_cast<int64_t>(maxima.size()));
    for (size_t m = 0; m < maxima.size(); ++m) {
      float expected = -std::numeric_limits<float>::infinity();
      for (size_t i = m / 16 * 512 + m % 16; i < std::min(x.size(), m / 16 * 512 + 512); i += 16)
        expected = std::max(expected, x[i]);
      EXPECT_EQ(maxima[m], expected) << count << " " << m;
    }
  }
}

TEST(SamplingKernels, WeighAsTheExponentialDoes) {
  for (const int64_t count : counts) {
    const auto x = numbers(count);
    std::vector<float> w(x.size());
    weights(x.data(), count, 1.5f, 2.0f, w.data());
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(w[i] / std::exp(1.5 * static_cast<double>(x[i]) - 2), 1, 1e-6) << count;
  }
}

TEST(SamplingKernels, PickThePlaceWhereTheSumPasses) {
  std::vector<float> w(100, 0.0f);
  w[20] = 1, w[50] = 2, w[99] = 3;
  EXPECT_EQ(total(w.data(), 100), 6);
  EXPECT_EQ(pick(w.data(), 100, 0), 20);
  EXPECT_EQ(pick(w.data(), 100, 0.999), 20);
  EXPECT_EQ(pick(w.data(), 100, 1), 50);
  EXPECT_EQ(pick(w.data(), 100, 5.999), 99);
  EXPECT_EQ(pick(w.data(), 60, 3.5), 50) << "past the end: the last with a weight";
}

TEST(SamplingKernels, GiveTheSameBitsWithAnyInstructionSet) {
  const std::string usual = instruction_set();
  const auto x = numbers(3000);
  const auto all = [&] {
    std::vector<float> w(x.size());
    weights(x.data(), 3000, 0.7f, 1.0f, w.data());
    w.push_back(static_cast<float>(total(w.data(), 3000)));
    for (int i = 0; i < 50; ++i) w.push_back(static_cast<float>(pick(w.data(), 3000, i * 10.0)));
    return w;
  };
  const auto expected = all();
  for (const auto& name : instruction_sets()) {
    ASSERT_TRUE(use_instruction_set(name));
    EXPECT_EQ(all(), expected) << name;
  }
  use_instruction_set(usual);
}

}  // namespace
}  // namespace compeer::kernels
