#include "grpo/losses.h"

#include "cases.h"

namespace compeer::grpo {
namespace {

at::Tensor numbers(std::vector<double> values) { return at::tensor(values, at::kDouble); }

// d = -1, 14, 29.
TEST(Kl, EstimatesFromOneToken) {
  const auto now = numbers({-1, -1, -1}), reference = numbers({0, -15, -30});
  expect_near(kl(now, reference, Estimator::k1), {-1, 14, 29}, 1e-12);
  expect_near(kl(now, reference, Estimator::k2), {0.5, 98, 420.5}, 1e-12);
  expect_near(kl(now, reference, Estimator::k3), {0.718282, 13, 28}, 1e-5);
}

TEST(Kl, CanBeLimited) {
  const auto now = numbers({-1, -1, -1}), reference = numbers({0, -15, -30});
  expect_near(kl(now, reference, Estimator::k1, {20, 10}), {-1, 10, 10}, 1e-12);
  expect_near(kl(now, reference, Estimator::k3, {20, 10}), {0.718282, 10, 10}, 1e-5);
}

TEST(Kl, HasNoGradientPastItsLimits) {
  auto now = numbers({-3, -1}).set_requires_grad(true);
  const auto k3 = kl(now, numbers({0, 0}), Estimator::k3, {2.0});
  expect_near(k3, {4.389056, 0.7182818}, 1e-6);
  k3.sum().backward();
  expect_near(now.grad(), {0, 1 - std::exp(1.0)}, 1e-12);
}

TEST(Kl, AsAPenaltyIsTheMeanOfK3) {
  expect_near(kl(numbers({0, -1, -2}), numbers({-1, -1, -1}), Estimator::k3), {0.367879, 0, 0.718282}, 1e-5);
}

}  // namespace
}  // namespace compeer::grpo
