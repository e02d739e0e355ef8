#include "kernels/functions.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>
#include <omp.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "base/random.h"
#include "kernels/instruction_set.h"
#include "kernels/sampling.h"

namespace compeer::kernels {
namespace {

using torch::autograd::grad;

at::Tensor draw(at::IntArrayRef shape, double scale = 1.0) {
  return (at::randn(shape, at::kFloat) * scale).set_requires_grad(true);
}

class Functions : public testing::Test {
 protected:
  void SetUp() override { at::manual_seed(3); }
};

// Compares the gradients of `ours` with those of the same formula in plain tensor operations, with a random upstream
// gradient.
void expect_same_gradients(const at::Tensor& ours, const at::Tensor& plain, const std::vector<at::Tensor>& inputs,
                           double tolerance = 1e-4) {
  ASSERT_TRUE(at::allclose(ours, plain, tolerance, tolerance)) << (ours - plain).abs().max();
  const auto upstream = at::randn_like(ours);
  const auto a = grad({ours}, inputs, {upstream}), b = grad({plain}, inputs, {upstream});
  for (size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_TRUE(at::allclose(a[i], b[i], tolerance, tolerance)) << "input " << i << ": " << (a[i] - b[i]).abs().max();
  }
}

TEST_F(Functions, LinearEqualsItsFormula) {
  const auto x = draw({37, 70}), w = draw({50, 70}), b = draw({50});
  Weight weight(w);
  expect_same_gradients(linear(x, weight, b), at::matmul(x, w.t()) + b, {x, w, b});
  expect_same_gradients(linear(x, weight), at::matmul(x, w.t()), {x, w});
}

// 9 rows in one pass, or 4 and then 5: the second pass accumulates into the .grad of the first.
TEST_F(Functions, LinearAddsToGradientsRowByRow) {
  const auto x = at::randn({9, 70}), dy = at::randn({9, 50}), w = draw({50, 70}), b = draw({50});
  Weight weight(w);
  const auto gradients = [&](const std::vector<int64_t>& passes) {
    for (const auto& t : {w, b}) t.mutable_grad() = at::zeros_like(t);
    int64_t row = 0;
    for (const int64_t rows : passes) {
      linear(x.narrow(0, row, rows), weight, b).backward(dy.narrow(0, row, rows));
      row += rows;
    }
    return std::pair{w.grad(), b.grad()};
  };
  const auto [dw, db] = gradients({9});
  const auto [dw2, db2] = gradients({4, 5});
  EXPECT_TRUE(at::equal(dw, dw2));
  EXPECT_TRUE(at::equal(db, db2));
}

TEST_F(Functions, GeluEqualsItsFormula) {
  const auto x = draw({5, 33}, 3.0);
  expect_same_gradients(kernels::gelu(x), at::gelu(x), {x}, 1e-5);
}

TEST_F(Functions, GeluHasTheSameBitsWithAGraphAndWithout) {
  const auto x = draw({3, 6000}), dy = at::randn({3, 6000});
  const auto y = kernels::gelu(x);
  const auto dx = grad({y}, {x}, {dy})[0];
  EXPECT_TRUE(at::equal(y, kernels::gelu(x.detach())));
  for (int64_t row = 0; row < 3; ++row) {
    const auto one = x.detach().narrow(0, row, 1).narrow(1, 0, 5).clone().requires_grad_(true);
    const auto z = kernels::gelu(one);
    EXPECT_TRUE(at::equal(z, y.narrow(0, row, 1).narrow(1, 0, 5)));
    EXPECT_TRUE(
        at::equal(grad({z}, {one}, {dy.narrow(0, row, 1).narrow(1, 0, 5)})[0], dx.narrow(0, row, 1).narrow(1, 0, 5)));
  }
}

TEST_F(Functions, EmbeddingEqualsItsFormula) {
  const auto w = draw({11, 8});
  const auto tokens = at::tensor({3, 3, 0, 10, 3}, at::kLong);
  expect_same_gradients(kernels::embedding(tokens, w), at::index_select(w, 0, tokens), {w});
}

TEST_F(Functions, RmsNormEqualsItsFormula) {
  const auto x = draw({9, 70}), w = draw({70});
  expect_same_gradients(rms_norm(x, w, 1e-6), x * at::rsqrt(x.square().mean(-1, true) + 1e-6) * w, {x, w});
}

TEST_F(Functions, SwigluEqualsItsFormula) {
  const auto g = draw({5, 33}, 3.0), u = draw({5, 33});
  expect_same_gradients(swiglu(g, u), at::silu(g) * u, {g, u});
}

TEST_F(Functions, RotationTurnsPairsOfHalves) {
  const auto x = draw({2, 8});
  const auto angle = at::tensor({0.0f, 1.0f, 0.5f, -2.0f}).view({2, 2});
  const auto y = rotate(x, angle.cos(), angle.sin(), 2);
  const auto parts = x.view({2, 2, 2, 2});  // row, head, half, pair
  const auto a = parts.select(2, 0), b = parts.select(2, 1), c = angle.cos().unsqueeze(1), s = angle.sin().unsqueeze(1);
  expect_same_gradients(y, at::stack({a * c - b * s, b * c + a * s}, 2).reshape({2, 8}), {x});
}

// Attention on a prompt of 21 tokens with three continuations, compared with separate attention for each path through
// the tree.
class TreeAttention : public Functions {
 protected:
  const Heads heads{4, 2, 16};
  const std::vector<Segment> segments{{0, 21, 0, -1, {}}, {21, 5, 21, 0, {}}, {26, 1, 21, 0, {}}, {27, 14, 21, 0, {}}};
  at::Tensor q = draw({41, 64}), k = draw({41, 32}), v = draw({41, 32});

  at::Tensor plain_path(const at::Tensor& rows) {
    const int64_t n = rows.size(0);
    const auto split = [&](const at::Tensor& t, int64_t count) {
      return t.index_select(0, rows).view({n, count, 16}).transpose(0, 1);
    };
    const auto expand = [&](const at::Tensor& t) { return split(t, 2).repeat_interleave(2, 0); };
    auto scores = at::matmul(split(q, 4), expand(k).transpose(1, 2)) / 4.0;
    scores = scores.masked_fill(at::ones({n, n}).triu(1).to(at::kBool), -INFINITY);
    return at::matmul(scores.softmax(-1), expand(v)).transpose(0, 1).reshape({n, 64});
  }

  at::Tensor plain() {
    std::vector<at::Tensor> parts{plain_path(at::arange(21))};
    for (size_t i = 1; i < segments.size(); ++i) {
      const auto own = at::arange(segments[i].start, segments[i].start + segments[i].length);
      parts.push_back(plain_path(at::cat({at::arange(21), own})).slice(0, 21));
    }
    return at::cat(parts);
  }
};

TEST_F(TreeAttention, EqualsAttentionAlongEachPath) {
  expect_same_gradients(attention(q, k, v, segments, heads), plain(), {q, k, v});
}

TEST_F(TreeAttention, DoesNotDependOnThreadsOrOnTheOtherBranches) {
  const auto whole = attention(q, k, v, segments, heads);
  omp_set_num_threads(2);
  EXPECT_TRUE(at::equal(attention(q, k, v, segments, heads), whole));
  omp_set_num_threads(1);
  const auto rows = at::cat({at::arange(21), at::arange(27, 41)});
  const std::vector<Segment> alone{{0, 35, 0, -1, {}}};
  const auto path = attention(q.index_select(0, rows), k.index_select(0, rows), v.index_select(0, rows), alone, heads);
  EXPECT_TRUE(at::equal(path, whole.index_select(0, rows)));
}

TEST_F(TreeAttention, WithACacheHasTheSameBits) {
  const at::NoGradGuard no_grad;
  const auto whole = attention(q, k, v, segments, heads);
  Cache cache;
  cache.keys = {at::full({8, 2, 16, 16}, NAN)};
  cache.values = {at::full({8, 2, 16, 16}, NAN)};
  const std::vector<Segment> prompt{{0, 21, 0, -1, {5, 2}}};
  const auto first = attention_cached(q.slice(0, 0, 21), k.slice(0, 0, 21), v.slice(0, 0, 21), prompt, heads, cache, 0);
  EXPECT_TRUE(at::equal(first, whole.slice(0, 0, 21)));
  for (auto* tensors : {&cache.keys, &cache.values})
    (*tensors)[0][7].copy_((*tensors)[0][2]);  // copy the half-full page (copy on write)
  for (int64_t i = 0; i < 14; ++i) {
    const std::vector<Segment> token{{0, 1, 21 + i, -1, {5, 7, 0}}};
    const auto row = [&](const at::Tensor& t) { return t.slice(0, 27 + i, 28 + i); };
    EXPECT_TRUE(at::equal(attention_cached(row(q), row(k), row(v), token, heads, cache, 0), row(whole)))
        << "token " << i;
  }
}

class Logprobs : public Functions {
 protected:
  at::Tensor hidden = draw({130, 24}), matrix = draw({4500, 24}), target = at::randint(4500, {130}, at::kLong);
};

// Peak resident memory since the last `forget`, in MB.
void forget() { std::ofstream("/proc/self/clear_refs") << "5"; }
double peak() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

// 1024 rows of 200,000 logits would be 781 MB; 256 MB are kept. The head, its rearranged copy and its gradient are 73
// MB.
TEST(LogprobsMemory, DoesNotGrowWithTheVocabulary) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer keeps freed memory";
#endif
  constexpr int64_t row_count = 1024, vocabulary = 200000, panel_width = 32;
  const auto hidden = at::randn({row_count, panel_width}).requires_grad_(),
             matrix = at::randn({vocabulary, panel_width});
  Weight head(matrix.detach().requires_grad_());
  forget();
  const double before = peak();
  ASSERT_GT(before, 0);
  const auto loss = token_logprobs(hidden, head, at::randint(vocabulary, {row_count}, at::kLong), 1.0).log_prob.sum();
  loss.backward();
  EXPECT_TRUE(hidden.grad().isfinite().all().item().toBool());
  EXPECT_LT(peak() - before, 400);
}

TEST_F(Logprobs, EqualTheirFormula) {
  Weight head(matrix);
  const auto plain = [&] { return at::log_softmax(at::matmul(hidden, matrix.t()) / 0.7, -1); };
  expect_same_gradients(token_logprobs(hidden, head, target, 0.7).log_prob,
                        plain().gather(1, target.unsqueeze(1)).squeeze(1), {hidden, matrix});
  const auto log_p = plain();
  expect_same_gradients(token_logprobs(hidden, head, target, 0.7).entropy, -(log_p.exp() * log_p).sum(-1),
                        {hidden, matrix}, 1e-3);
}

TEST_F(Logprobs, OfARowDoNotDependOnTheOthers) {
  Weight head(matrix);
  const auto all = token_logprobs(hidden, head, target, 1.0);
  for (int64_t r : {0, 1, 95, 96, 129}) {
    const auto one = token_logprobs(hidden.slice(0, r, r + 1), head, target.slice(0, r, r + 1), 1.0);
    EXPECT_TRUE(at::equal(one.log_prob, all.log_prob.slice(0, r, r + 1))) << r;
    EXPECT_TRUE(at::equal(one.entropy, all.entropy.slice(0, r, r + 1))) << r;
  }
}

// Sizes around vectors of 8 and 16, runs of 16, blocks of 512.
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
      x[static_cast<size_t>(at)] = 9;  // from the back, so that each new maximum is the first one
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
