// What `compeer doctor --device cuda` does, on the emulated device.
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.h"
#include "device/emulated_device.h"
#include "tools/verify/device.h"

namespace compeer::verify {
namespace {

TEST(TheCheckOfADevice, PassesOnTheEmulatedOne) {
  emulated::device();
  const auto checks = check_device("emulated", {"qwen2"});
  EXPECT_EQ(checks.size(), 4u * 8u);
  for (const Check& one : checks) EXPECT_TRUE(one.passed) << one.name << " " << one.error << " > " << one.tolerance;
}

TEST(TheCheckOfADevice, SaysInJsonThatThereIsNone) {
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  testing::internal::CaptureStdout();
  EXPECT_THROW(verify_device({{"json", true}}), Error);
  const auto said = nlohmann::json::parse(testing::internal::GetCapturedStdout());
  EXPECT_EQ(said.at("passed"), false);
  EXPECT_TRUE(said.at("problem").get<std::string>().starts_with("is 'cuda', but ")) << said;
  EXPECT_NE(said.at("remedy"), "");
}

}  // namespace
}  // namespace compeer::verify
