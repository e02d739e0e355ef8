// What `compeer doctor --device cuda` does, on the emulated device.
#include <gtest/gtest.h>

#include "device/emulated_device.h"
#include "verify/device.h"

namespace compeer::verify {
namespace {

TEST(TheCheckOfADevice, PassesOnTheEmulatedOne) {
  emulated::device();
  const auto checks = check_device("emulated", {"qwen2"});
  EXPECT_EQ(checks.size(), 4u * 8u);
  for (const Check& one : checks) EXPECT_TRUE(one.passed) << one.name << " " << one.error << " > " << one.tolerance;
}

}  // namespace
}  // namespace compeer::verify
