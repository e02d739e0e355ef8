#include "gguf/rope_factors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace compeer::gguf {
namespace {

using Json = nlohmann::ordered_json;

// As converters compute them, in float32.
std::vector<float> llama3(float theta, int dim, float factor, float low, float high, float original) {
  std::vector<float> factors;
  for (int i = 0; i < dim; i += 2) {
    const float frequency = 1 / std::pow(theta, static_cast<float>(i) / static_cast<float>(dim));
    const float wave = 2 * std::numbers::pi_v<float> / frequency;
    const float s = (original / wave - low) / (high - low);
    factors.push_back(wave < original / high ? 1 : wave > original / low ? factor : 1 / ((1 - s) / factor + s));
  }
  return factors;
}

Json rule(double factor, double high, int64_t original) {
  return {{"rope_type", "llama3"},
          {"factor", factor},
          {"low_freq_factor", 1.0},
          {"high_freq_factor", high},
          {"original_max_position_embeddings", original}};
}

TEST(RopeFactors, FindsTheRuleOfPublishedModels) {
  EXPECT_EQ(rope_scaling_of(llama3(500000, 128, 8, 1, 4, 8192), 500000), rule(8, 4, 8192));   // Llama 3.1
  EXPECT_EQ(rope_scaling_of(llama3(500000, 64, 32, 1, 4, 8192), 500000), rule(32, 4, 8192));  // Llama 3.2 1B
  EXPECT_EQ(rope_scaling_of(llama3(500000, 24, 8, 1, 4, 32), 500000), rule(8, 4, 32));        // one pair between
}

TEST(RopeFactors, FindsOtherBorders) {
  EXPECT_EQ(rope_scaling_of(llama3(500000, 128, 8, 1, 6, 8192), 500000), rule(8, 6, 8192));
  EXPECT_EQ(rope_scaling_of(llama3(10000, 64, 16, 2, 8, 4096), 10000), rule(16, 4, 2048)) << "the same borders";
}

// All pairs kept or divided: any border between them says the same.
TEST(RopeFactors, FindsABorderThatNoPairIsNear) {
  const std::vector<float> factors{1, 1, 8, 8};
  const auto found = rope_scaling_of(factors, 1e12);
  ASSERT_TRUE(found);
  EXPECT_EQ((*found)["rope_type"], "llama3");
  EXPECT_EQ((*found)["factor"], 8.0);
}

TEST(RopeFactors, KnowsNoScalingAndLinear) {
  EXPECT_EQ(rope_scaling_of(std::vector<float>(8, 1.0f), 10000), Json());
  EXPECT_EQ(rope_scaling_of(std::vector<float>(8, 4.0f), 10000), (Json{{"rope_type", "linear"}, {"factor", 4.0}}));
}

TEST(RopeFactors, RefusesFactorsOfNoRule) {
  auto factors = llama3(500000, 128, 8, 1, 4, 8192);
  factors[32] *= 1.0001f;
  EXPECT_EQ(rope_scaling_of(factors, 500000), std::nullopt);
  EXPECT_EQ(rope_scaling_of(llama3(500000, 128, 8, 1, 4, 8192), 10000), std::nullopt) << "of another theta";
  const float nan = NAN;
  for (const auto& wrong : {std::vector<float>{1, 2, 1, 8}, {1, 0}, {1, -1}, {1, nan}, {INFINITY, 1}, {}, {8, 8, 1}})
    EXPECT_EQ(rope_scaling_of(wrong, 10000), std::nullopt);
}

}  // namespace
}  // namespace compeer::gguf
