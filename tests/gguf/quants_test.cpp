#include "gguf/quants.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "gguf/gguf.h"
#include "gguf_bytes.h"
#include "record/safetensors.h"

namespace compeer::gguf {
namespace {

TEST(Quants, AreTheValuesOfTheReference) {
  const auto file = GgufFile::open(golden_gguf / "quants.gguf");
  const auto golden = record::Safetensors::open(golden_gguf / "quants.safetensors");
  ASSERT_EQ(file.tensors().size(), 13u);
  for (const GgufTensor& tensor : file.tensors()) {
    std::vector<float> values(static_cast<size_t>(tensor.elements()));
    unpack(*tensor.format, tensor.bytes, values);
    const auto wanted = golden.tensor(tensor.name).bytes;
    ASSERT_EQ(wanted.size(), 4 * values.size()) << tensor.name;
    size_t different = 0;
    for (size_t i = 0; i < values.size(); ++i)
      different += std::memcmp(&values[i], &wanted[4 * i], 4) != 0 && values[i] != 0;
    EXPECT_EQ(different, 0u) << tensor.name;
  }
}

TEST(Quants, NamesFormats) {
  EXPECT_STREQ(find_format(12)->name, "Q4_K");
  EXPECT_EQ(find_format(20), nullptr);
  EXPECT_EQ(format_name(20), "IQ4_NL");
  EXPECT_EQ(format_name(4), "4");
  EXPECT_EQ(known_formats(), "F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q2_K, Q3_K, Q4_K, Q5_K, Q6_K");
}

// 0x3C00 = 1, 0x0001 = 2^-24 (the smallest), 0x03FF = 1023 2^-24, 0x7BFF = 65504 (the largest).
TEST(HalfToFloat, IsExact) {
  EXPECT_EQ(half_to_float(0x3C00), 1.0f);
  EXPECT_EQ(half_to_float(0xC000), -2.0f);
  EXPECT_EQ(half_to_float(0x0001), 0x1p-24f);
  EXPECT_EQ(half_to_float(0x83FF), -1023 * 0x1p-24f);
  EXPECT_EQ(half_to_float(0x0400), 0x1p-14f);
  EXPECT_EQ(half_to_float(0x7BFF), 65504.0f);
  EXPECT_EQ(half_to_float(0x7C00), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(half_to_float(0x7C01)));
  EXPECT_TRUE(std::signbit(half_to_float(0x8000)));
}

// 1 + 2^-8 lies halfway between 1 (even) and 1 + 2^-7; 1 + 3 2^-8 between 1 + 2^-7 and 1 + 2^-6 (even).
TEST(FloatToBfloat16, RoundsToTheNearest) {
  EXPECT_EQ(float_to_bfloat16(1.0f), 0x3F80);
  EXPECT_EQ(float_to_bfloat16(1.0f + 0x1p-8f), 0x3F80);
  EXPECT_EQ(float_to_bfloat16(1.0f + 0x1p-8f + 0x1p-20f), 0x3F81);
  EXPECT_EQ(float_to_bfloat16(1.0f + 3 * 0x1p-8f), 0x3F82);
  EXPECT_EQ(float_to_bfloat16(std::numeric_limits<float>::max()), 0x7F80);
  EXPECT_EQ(float_to_bfloat16(std::bit_cast<float>(0x7F800001u)), 0x7FC0);
}

}  // namespace
}  // namespace compeer::gguf
