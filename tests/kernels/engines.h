#pragma once
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <omp.h>
#include <torch/csrc/autograd/autograd.h>

#include "kernels/arithmetic.h"

namespace compeer::kernels {

using torch::autograd::grad;

/// Returns a tensor of normally distributed numbers that requires a gradient.
inline at::Tensor draw(at::IntArrayRef shape, double scale = 1.0) {
  return (at::randn(shape, at::kFloat) * scale).set_requires_grad(true);
}

inline void expect_close(const at::Tensor& a, const at::Tensor& b, double tolerance, const std::string& what) {
  EXPECT_TRUE(at::allclose(a, b, tolerance, tolerance)) << what << ": " << (a - b).abs().max();
}

/// A tree of segments (token sequences that share a prefix): a prompt of 18 tokens with two continuations, of 3 and 16.
inline const std::vector<Segment> tree{{0, 18, 0, -1, {}}, {18, 3, 18, 0, {}}, {21, 16, 18, 0, {}}};
inline constexpr int64_t row_count = 37;  ///< number of tokens of the tree

/// Fixture that compares the two engines of the arithmetic, the exact one and libtorch's. Each test has the same random
/// numbers.
class Engines : public testing::Test {
 protected:
  void SetUp() override {
    at::manual_seed(5);
    omp_set_num_threads(1);
  }

  // Expects equal results and gradients of both engines for an operation, a function of the engine, with a random
  // upstream gradient. `inputs`: tensors whose gradients are compared; `tolerance`: relative to the largest value.
  template <class Operation>
  void expect_agreement(Operation operation, const std::vector<at::Tensor>& inputs, double tolerance = 2e-5) {
    const at::Tensor ours = operation(exact()), theirs = operation(libtorch());
    const double size = std::max(1.0, theirs.abs().max().item<double>());
    expect_close(ours / size, theirs / size, tolerance, "result");
    const auto upstream = at::randn_like(ours);
    const auto a = grad({ours}, inputs, {upstream}), b = grad({theirs}, inputs, {upstream});
    for (size_t i = 0; i < inputs.size(); ++i) {
      const double scale = std::max(1.0, b[i].abs().max().item<double>());
      expect_close(a[i] / scale, b[i] / scale, tolerance, "gradient " + std::to_string(i));
    }
  }
};

}  // namespace compeer::kernels
