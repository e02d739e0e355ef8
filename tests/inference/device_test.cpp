#include "inference/device.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.h"

namespace compeer::inference {
namespace {

// Where no device can be seen, whatever there is of CUDA.
class WithoutADevice : public testing::Test {
 protected:
  WithoutADevice() { ::setenv("CUDA_VISIBLE_DEVICES", "", 1); }
};

std::string refused(std::string (*use)(), const std::string& where) {
  try {
    use();
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), where);
    EXPECT_EQ(error.exit(), Exit::usage);
    EXPECT_NE(error.help(), "");
    return error.problem();
  }
  return "accepted";
}

TEST_F(WithoutADevice, ErrorsNameTheSettingOrTheOption) {
  const auto setting = refused([] { return use_device("data.device", "cuda", "libtorch"); }, "data.device");
  EXPECT_TRUE(setting.starts_with("is 'cuda', but ")) << setting;
  EXPECT_EQ(refused([] { return use_device_option("cuda", "libtorch"); }, "--device"), setting);
  EXPECT_EQ(device_in_use(), "cpu");
}

// Also if CUDA's runtime is there, which comes with the CPU's part of libtorch and drives no device by itself.
TEST_F(WithoutADevice, CudasPartOfLibtorchIsMissingWhereItIs) {
  try {
    open_cuda();
    FAIL() << "no device is visible";
  } catch (const Error& error) {
    const std::string problem = error.problem(), missing = "is 'cuda', but CUDA's part of libtorch is missing: ";
    const bool opened = ::dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_NOLOAD);
    EXPECT_EQ(problem.starts_with(missing), !opened) << problem;
    if (!opened) {
      EXPECT_FALSE(std::filesystem::exists(problem.substr(missing.size()))) << problem;
    }
  }
}

TEST_F(WithoutADevice, AutoIsTheCpuAndACommandSaysWhy) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(use_device_option("auto", "exact"), "cpu");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "compeer: note: --device is 'auto', and the model computes on the CPU: the kernels of the engine 'exact' "
            "compute there\n");
  testing::internal::CaptureStderr();
  EXPECT_EQ(use_device_option("auto", "libtorch"), "cpu");
  EXPECT_TRUE(testing::internal::GetCapturedStderr().ends_with("computes on the CPU: " + why_on_cpu() + "\n"));
  testing::internal::CaptureStderr();
  EXPECT_EQ(use_device_option("cpu", "libtorch"), "cpu");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace compeer::inference
