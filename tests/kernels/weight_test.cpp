#include "kernels/weight.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "base/pages.h"
#include "kernels/functions.h"
#include "kernels/quantized.h"

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

// The bits are those of products of few rows, which read the copy.
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

    EXPECT_TRUE(weight.factor(rows_as_it_lies - 1).packed);
    EXPECT_FALSE(weight.factor(rows_as_it_lies).packed);
    const at::NoGradGuard nothing_is_differentiated;
    EXPECT_FALSE(weight.factor(rows_as_it_lies).packed) << "a copy would have to be made";
    weight.packed();
    EXPECT_TRUE(weight.factor(rows_as_it_lies).packed) << "it is there";
    weight.changed();
    EXPECT_FALSE(weight.factor(rows_as_it_lies).packed);
  }
}

// The bits are those without the copy.
TEST_F(Weights, ThatTrainKeepTheirCopyWhereMemoryIsKept) {
  const auto many = at::randn({200, 70}), dy = at::randn({200, 50});
  for (const Format format : {Format::float32, Format::bfloat16_pairs}) {
    std::vector<at::Tensor> found;
    for (const bool kept : {false, true}) {
      pages_kept = kept;
      Weight weight(w, {format, false, nullptr});
      const auto tracked = many.clone().set_requires_grad(true), y = linear(tracked, weight);
      found.insert(found.end(), {y.detach(), torch::autograd::grad({y}, {tracked}, {dy})[0]});
      EXPECT_EQ(weight.factor(rows_as_it_lies).packed != nullptr, kept);
      weight.changed();
      const at::NoGradGuard nothing_is_differentiated;
      EXPECT_FALSE(weight.factor(rows_as_it_lies).packed) << "a copy would have to be made";
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
  w.zero_();  // nobody has the old copy any more
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

}  // namespace
}  // namespace compeer::kernels
