// The emulated device itself: it detects mistakes, and computes as the CPU does.
#include "device/emulated_device.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace compeer::emulated {
namespace {

at::Tensor made(std::initializer_list<float> values) { return at::tensor(std::vector<float>(values)); }

TEST(EmulatedDevice, ComputesAsTheCpuDoes) {
  const auto x = at::randn({7, 5}), w = at::randn({3, 5});
  const auto expected = at::silu(at::mm(x, w.t())).add_(1).narrow(1, 1, 2).sum(0);
  const auto got = at::silu(at::mm(x.to(device()), w.to(device()).t())).add_(1).narrow(1, 1, 2).sum(0);
  EXPECT_EQ(got.device(), device());
  EXPECT_TRUE(at::equal(got.cpu(), expected));
}

TEST(EmulatedDevice, DifferentiatesAsTheCpuDoes) {
  const auto gradient = [](const at::Device& where) {
    const auto x = made({1, -2, 3}).to(where).set_requires_grad(true);
    const auto y = at::softmax(x.mul(x).view({1, 3}), 1).log().select(0, 0).slice(0, 1, 3);
    y.sum().backward();
    return x.grad().cpu();
  };
  EXPECT_TRUE(at::equal(gradient(device()), gradient(at::kCPU)));
}

TEST(EmulatedDevice, SharesMemoryAmongViews) {
  const auto x = at::zeros({2, 3}, at::TensorOptions(device()));
  x.select(0, 1).fill_(5);
  x.view({6}).slice(0, 0, 2).copy_(made({1, 2}));
  EXPECT_TRUE(at::equal(x.cpu(), made({1, 2, 0, 5, 5, 5}).view({2, 3})));
}

TEST(EmulatedDeviceDeathTest, CantBeReadByTheHost) {
  const auto x = made({1, 2}).to(device());
  EXPECT_DEATH(
      {
        volatile float value = *x.const_data_ptr<float>();
        (void)value;
      },
      "");
  EXPECT_DEATH(*x.mutable_data_ptr<float>() = 1, "");
}

TEST(EmulatedDevice, TakesNoTensorOfTheHostButNumbers) {
  const auto x = made({1, 2}).to(device());
  EXPECT_THROW(at::add(x, made({1, 2})), c10::Error);
  EXPECT_THROW(at::cat({x, made({1})}), c10::Error);
  EXPECT_TRUE(at::equal(at::mul(x, at::scalar_tensor(3)).cpu(), made({3, 6})));
}

TEST(EmulatedDevice, GivesNothingBeforeSomebodyWaits) {
  const auto x = made({1, 2}).to(device());
  const auto here = at::empty({2});
  here.copy_(x, true);
  EXPECT_TRUE(here.isnan().all().item<bool>());
  synchronize();
  EXPECT_TRUE(at::equal(here, made({1, 2})));
}

TEST(EmulatedDevice, HoldsNoNumbersInNewMemory) {
  EXPECT_TRUE(at::empty({3}, at::TensorOptions(device())).cpu().isnan().all().item<bool>());
}

TEST(EmulatedDevice, CountsWhatIsDone) {
  const auto x = made({1, 2}).to(device());
  forget();
  const auto y = at::add(at::mul(x, 2), x);
  EXPECT_EQ(counts().launches, 2);
  EXPECT_EQ(counts().waits, 0);
  EXPECT_EQ(counts().allocations, 2);
  EXPECT_EQ(at::sum(y).item<float>(), 9);
  EXPECT_EQ(counts().waits, 1);
}

TEST(EmulatedDevice, RunsOutOfMemoryWhereItIsTold) {
  const auto x = made({1, 2}).to(device());
  const auto before = in_use();
  fail_allocation(2);
  EXPECT_THROW(at::add(at::mul(x, 2), x), c10::OutOfMemoryError);
  EXPECT_EQ(in_use(), before);
  EXPECT_EQ(at::sum(at::add(at::mul(x, 2), x)).item<float>(), 9);
}

}  // namespace
}  // namespace compeer::emulated
