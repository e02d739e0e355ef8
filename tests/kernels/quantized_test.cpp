#include "kernels/quantized.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "base/random.h"
#include "gguf/gguf.h"
#include "gguf/quants.h"
#include "places.h"

namespace compeer::kernels {
namespace {

using Values = std::vector<float>;

Values values_of(const QuantizedBlock& block, int64_t count = QuantizedBlock::length) {
  Values all;
  for (int64_t j = 0; j < count; ++j) all.push_back(block.value(j));
  return all;
}

// scale = 63.5 / 127 = 0.5, which float16 has as 0x3800. 1.25 / 0.5 = 2.5 and -0.75 / 0.5 = -1.5 go away from zero.
TEST(Q8_0, DividesByALargestOf127) {
  const Values x{-63.5f, 1.25f, -0.75f, 0.2f, 63.0f};
  const auto block = quantized(x.data(), 5, Format::q8_0);
  EXPECT_EQ(block.scale, 0x3800);
  EXPECT_EQ(values_of(block, 6), (Values{-63.5f, 1.5f, -1.0f, 0.0f, 63.0f, 0.0f}));
}

// scale = 4 / -8 = -0.5 (0xb800): 4 is -8 of them, 3.8 is -7.6 -> floor(0.9) - 8 = -8, -4 is 8 -> at most 7,
// -1.2 is 2.4 -> floor(10.9) - 8 = 2, 0.25 is -0.5 -> floor(8) - 8 = 0.
TEST(Q4_0, DividesByALargestOfMinus8) {
  const Values x{1.0f, 4.0f, 3.8f, -4.0f, -1.2f, 0.25f};
  const auto block = quantized(x.data(), 6, Format::q4_0);
  EXPECT_EQ(block.scale, 0xb800);
  EXPECT_EQ(values_of(block, 6), (Values{1.0f, 4.0f, 4.0f, -3.5f, -1.0f, 0.0f}));
}

// 0.1f / 127 = 0.00078740... is 0x1273 in float16 (1651 * 2^-21 = 0.000787258...); 0.1 is 127 of the float32 scale.
TEST(Q8_0, RoundsTheScaleToFloat16AfterTheIntegers) {
  const float x = 0.1f;
  const auto block = quantized(&x, 1, Format::q8_0);
  EXPECT_EQ(block.scale, 0x1273);
  EXPECT_EQ(block.value(0), 127 * (1651 * 0x1p-21f));
}

// With 127 among them the scale is 1.
TEST(Q8_0, RoundsAsStdRoundDoes) {
  for (int i = -126; i <= 126; ++i) {
    const float half = static_cast<float>(i) + 0.5f;
    for (const float x : {half, std::nextafter(half, -1000.0f), std::nextafter(half, 1000.0f)}) {
      const Values both{127, x};
      ASSERT_EQ(quantized(both.data(), 2, Format::q8_0).value(1), std::round(x)) << x;
    }
  }
}

class Blocks : public testing::TestWithParam<Format> {};

TEST_P(Blocks, OfZerosAreZeros) {
  const Values zeros(32);
  EXPECT_EQ(values_of(quantized(zeros.data(), 32, GetParam())), zeros);
}

// The smallest scales are lost in float16: such a block is zeros, whatever its integers.
TEST_P(Blocks, ComeBackFromTheValuesTheyStandFor) {
  int lost = 0;
  for (uint32_t i = 0; i < 5000; ++i) {
    Values x;
    const double size = std::exp(3 * normal(7, Stream::weights, 1, i) - 5);
    for (uint32_t j = 0; j < 32; ++j) x.push_back(static_cast<float>(size * normal(7, Stream::weights, 2, i, j)));
    const int64_t count = i % 4 == 0 ? 1 + i % 32 : 32;
    const auto block = quantized(x.data(), count, GetParam());
    const auto again = quantized(values_of(block).data(), count, GetParam());
    ASSERT_EQ(values_of(again), values_of(block)) << "block " << i;
    if (block.widened_scale() == 0) {
      ++lost;
    } else {
      ASSERT_TRUE(again.scale == block.scale && again.q == block.q) << "block " << i;
    }
  }
  EXPECT_GT(lost, 0);
  EXPECT_LT(lost, 250);
}

TEST_P(Blocks, AreThoseOfAFileThatLlamaCppWrote) {
  const auto folder = std::filesystem::path(COMPEER_SOURCE_DIR) / "tests/golden/gguf";
  const auto file = gguf::GgufFile::open(folder / "quants.gguf");
  const std::string name = GetParam() == Format::q8_0 ? "Q8_0" : "Q4_0";
  size_t found = 0;
  for (const auto& tensor : file.tensors()) {
    if (tensor.format->name != name) continue;
    Values values(static_cast<size_t>(tensor.elements()));
    gguf::unpack(*tensor.format, tensor.bytes, values);
    auto rounded = values;
    round_row(rounded.data(), static_cast<int64_t>(rounded.size()), GetParam());
    EXPECT_EQ(rounded, values);
    ++found;
  }
  EXPECT_EQ(found, 1u);
}

INSTANTIATE_TEST_SUITE_P(Formats, Blocks, testing::Values(Format::q8_0, Format::q4_0));

}  // namespace
}  // namespace compeer::kernels
