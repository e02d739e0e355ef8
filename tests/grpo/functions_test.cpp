#include "grpo/functions.h"

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include <cmath>
#include <vector>

namespace compeer::grpo {
namespace {

at::Tensor of(const std::vector<double>& values, at::ScalarType type = at::kDouble) {
  return at::tensor(values, at::kDouble).to(type);
}

TEST(Exponential, IsTheNearestNumber) {
  const auto y = exact_exp(of({0, 1, -1, 0.1, -INFINITY, 710}));
  EXPECT_EQ(y[0].item<double>(), 1.0);
  EXPECT_EQ(y[1].item<double>(), 2.718281828459045);
  EXPECT_EQ(y[2].item<double>(), 0.36787944117144233);
  EXPECT_EQ(y[3].item<double>(), 1.1051709180756477);
  EXPECT_EQ(y[4].item<double>(), 0.0);
  EXPECT_EQ(y[5].item<double>(), INFINITY);
  EXPECT_EQ(exact_exp(of({1}, at::kFloat)).item<float>(), 2.7182817F);
}

// libtorch's differ for up to one number in a hundred (EPYC, libtorch 2.15).
TEST(Exponential, IsTheNearestNumberToEachOfManyFloats) {
  const auto x = at::linspace(-8, 8, 20'001, at::kFloat).view({3, 6667}).t();  // not contiguous
  const auto y = exact_exp(x);
  ASSERT_EQ(y.sizes(), x.sizes());
  for (int64_t i = 0; i < x.size(0); ++i) {
    for (int64_t j = 0; j < x.size(1); ++j) {
      const double exact = std::exp(static_cast<double>(x[i][j].item<float>()));
      ASSERT_EQ(y[i][j].item<float>(), static_cast<float>(exact)) << x[i][j].item<float>();
    }
  }
}

// d/dx of the sum of w e^x is w e^x.
TEST(Exponential, IsItsOwnDerivative) {
  auto x = of({0, 1, -1}).requires_grad_();
  (exact_exp(x) * of({3, 1, 2})).sum().backward();
  EXPECT_EQ(x.grad()[0].item<double>(), 3.0);
  EXPECT_EQ(x.grad()[1].item<double>(), 2.718281828459045);
  EXPECT_EQ(x.grad()[2].item<double>(), 2 * 0.36787944117144233);
}

TEST(Logarithm, IsTheNearestNumber) {
  const auto y = exact_log(of({1, 2, 0}));
  EXPECT_EQ(y[0].item<double>(), 0.0);
  EXPECT_EQ(y[1].item<double>(), 0.6931471805599453);
  EXPECT_EQ(y[2].item<double>(), -INFINITY);
}

}  // namespace
}  // namespace compeer::grpo
