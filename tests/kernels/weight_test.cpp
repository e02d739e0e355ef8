#include "kernels/weight.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "base/pages.h"
#include "base/random.h"
#include "gguf/gguf.h"
#include "gguf/quants.h"
#include "kernels/functions.h"
#include "kernels/quantized.h"
#include "places.h"

namespace compeer::kernels {
namespace {

class Weights : public testing::Test {
 protected:
  void SetUp() override { at::manual_seed(5); }
  at::Tensor x = at::randn({9, 70}), w = at::randn({50, 70});
};

TEST_F(Weights, ThatAreFrozenGiveTheirSourceBackOnce) {
  int released = 0;
  WeightOptions options{Format::float32, true, [&] { ++released; }};
  Weight frozen(w, options), trained(w);
  EXPECT_EQ(released, 1);
  EXPECT_TRUE(at::equal(linear(x, frozen), linear(x, trained)));
  EXPECT_EQ(released, 1);
}

TEST_F(Weights, InBfloat16AreThoseRounded) {
  const auto narrow = w.to(at::kBFloat16);
  Weight rounded(narrow.to(at::kFloat));
  const auto expected = linear(x, rounded);
  for (const auto& source : {w, narrow}) {
    Weight kept(source, {Format::bfloat16, true, nullptr});
    EXPECT_TRUE(at::equal(linear(x, kept), expected));
    EXPECT_TRUE(at::equal(logits(x, kept), expected));
  }
  Weight widened(narrow, {Format::float32, true, nullptr});
  EXPECT_TRUE(at::equal(linear(x, widened), expected));
}

TEST_F(Weights, InBlocksAreThoseRounded) {
  w.copy_(w.to(at::kBFloat16));
  for (const Format format : {Format::q8_0, Format::q4_0}) {
    const auto values = w.clone(), dy = at::randn({9, 50});
    for (int64_t i = 0; i < 50; ++i) round_row(values[i].mutable_data_ptr<float>(), 70, format);
    Weight plain(values, {Format::float32, true, nullptr});
    for (const auto& source : {w, values, w.to(at::kBFloat16)}) {
      Weight kept(source, {format, true, nullptr});
      EXPECT_TRUE(at::equal(linear(x, kept), linear(x, plain)));
      const auto slope = [&](Weight& weight) {
        const auto input = x.clone().set_requires_grad(true);
        return torch::autograd::grad({linear(input, weight)}, {input}, {dy})[0];
      };
      EXPECT_TRUE(at::equal(slope(kept), slope(plain)));
    }
  }
}

TEST_F(Weights, ThatTrainAreInNoBlocks) { EXPECT_THROW(Weight(w, {Format::q8_0, false, nullptr}), c10::Error); }

TEST_F(Weights, ThatAreFrozenPassGradientsOn) {
  const auto narrow = w.to(at::kBFloat16), rounded = narrow.to(at::kFloat), dy = at::randn({9, 50});
  Weight frozen(narrow, {Format::bfloat16, true, nullptr});
  const auto input = x.clone().set_requires_grad(true);
  const auto dx = torch::autograd::grad({linear(input, frozen)}, {input}, {dy})[0];
  EXPECT_TRUE(at::allclose(dx, at::mm(dy, rounded), 1e-4, 1e-4));
}

// The results have the bits of products of few rows, which use the packed copy.
TEST_F(Weights, ThatTrainHaveNoCopyForManyRows) {
  const auto many = at::randn({200, 70}), dy = at::randn({200, 50});
  for (const Format format : {Format::float32, Format::bfloat16_pairs}) {
    Weight weight(w, {format, false, nullptr});
    const auto both = [&](int64_t first, int64_t count) {
      const auto tracked = many.narrow(0, first, count).clone().set_requires_grad(true);
      const auto y = linear(tracked, weight);
      return std::pair{y.detach(), torch::autograd::grad({y}, {tracked}, {dy.narrow(0, first, count)})[0]};
    };
    const auto [y0, dx0] = both(0, 100);
    const auto [y1, dx1] = both(100, 100);
    const auto [y, dx] = both(0, 200);
    EXPECT_TRUE(at::equal(y, at::cat({y0, y1})));
    EXPECT_TRUE(at::equal(dx, at::cat({dx0, dx1})));
    EXPECT_TRUE(at::equal(both(0, 100).first, y0)) << "the copy is made again";

    EXPECT_TRUE(weight.factor(min_rows_unpacked - 1).packed);
    EXPECT_FALSE(weight.factor(min_rows_unpacked).packed);
    const at::NoGradGuard nothing_is_differentiated;
    EXPECT_FALSE(weight.factor(min_rows_unpacked).packed) << "a copy would have to be made";
    weight.packed();
    EXPECT_TRUE(weight.factor(min_rows_unpacked).packed) << "it is there";
    weight.changed();
    EXPECT_FALSE(weight.factor(min_rows_unpacked).packed);
  }
}

// The results have the same bits as without the copy.
TEST_F(Weights, ThatTrainKeepTheirCopyWhereMemoryIsKept) {
  const auto many = at::randn({200, 70}), dy = at::randn({200, 50});
  for (const Format format : {Format::float32, Format::bfloat16_pairs}) {
    std::vector<at::Tensor> found;
    for (const bool kept : {false, true}) {
      pages_kept = kept;
      Weight weight(w, {format, false, nullptr});
      const auto tracked = many.clone().set_requires_grad(true), y = linear(tracked, weight);
      found.insert(found.end(), {y.detach(), torch::autograd::grad({y}, {tracked}, {dy})[0]});
      EXPECT_EQ(weight.factor(min_rows_unpacked).packed != nullptr, kept);
      weight.changed();
      const at::NoGradGuard nothing_is_differentiated;
      EXPECT_FALSE(weight.factor(min_rows_unpacked).packed) << "a copy would have to be made";
    }
    pages_kept = false;
    EXPECT_TRUE(at::equal(found[0], found[2]));
    EXPECT_TRUE(at::equal(found[1], found[3]));
  }
}

TEST_F(Weights, ThatAreFrozenShareTheCopyOfOneTensor) {
  const WeightOptions whole{Format::float32, true, nullptr}, half{Format::bfloat16, true, nullptr};
  Weight trained(w);
  {
    Weight first(w, whole), second(w, whole), rounded(w, half), other(w.clone(), whole);
    EXPECT_EQ(&first.packed(), &second.packed());
    EXPECT_NE(&first.packed(), &rounded.packed());
    EXPECT_NE(&first.packed(), &other.packed());
    EXPECT_NE(&first.packed(), &trained.packed());
    second.add_low_rank(at::ones({1, 70}), at::ones({50, 1}), 1.0);
    EXPECT_FALSE(first.low_rank());
  }
  w.zero_();  // the old packed copy has no user any more
  Weight later(w, whole);
  EXPECT_EQ(linear(x, later).abs().max().item<float>(), 0);
}

TEST_F(Weights, ThatTrainFollowTheirValue) {
  Weight weight(w);
  linear(x, weight);
  w.mul_(2);
  weight.changed();
  EXPECT_TRUE(at::allclose(linear(x, weight), at::mm(x, w.t()), 1e-4, 1e-4));
}

TEST_F(Weights, ThatTrainAreFloat32) { EXPECT_THROW(Weight(w.to(at::kBFloat16)), c10::Error); }

TEST_F(Weights, ThatTrainInBfloat16GiveTheProductsOfTheirNumbers) {
  w.copy_(w.to(at::kBFloat16));
  Weight plain(w), halves(w, {Format::bfloat16, false, nullptr});
  EXPECT_TRUE(at::equal(linear(x, halves), linear(x, plain)));
  EXPECT_EQ(2 * halves.packed().bytes(), plain.packed().bytes());
}

TEST_F(Weights, HaveTheirBiasesSummedOverRows) {
  const auto dy = at::randn({9, 50}), bias = at::randn({50}).set_requires_grad(true);
  Weight weight(w);
  const auto dbias = torch::autograd::grad({linear(x, weight, bias)}, {bias}, {dy})[0];
  EXPECT_TRUE(at::allclose(dbias, dy.sum(0), 1e-5, 1e-5));
}

using Values = std::vector<float>;

Values values_of(const QuantizedBlock& block, int64_t count = QuantizedBlock::length) {
  Values all;
  for (int64_t j = 0; j < count; ++j) all.push_back(block.value(j));
  return all;
}

// scale = 63.5 / 127 = 0.5, in float16 0x3800. 1.25 / 0.5 = 2.5 and -0.75 / 0.5 = -1.5 round away from zero.
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

// The scale 0.1f / 127 = 0.00078740... is 0x1273 in float16 (1651 * 2^-21 = 0.000787258...); the integer is 127, by the
// float32 scale.
TEST(Q8_0, RoundsTheScaleToFloat16AfterTheIntegers) {
  const float x = 0.1f;
  const auto block = quantized(&x, 1, Format::q8_0);
  EXPECT_EQ(block.scale, 0x1273);
  EXPECT_EQ(block.value(0), 127 * (1651 * 0x1p-21f));
}

// The value 127 makes the scale 1.
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

// Scales too small for float16 become zero, and with them the whole block.
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
