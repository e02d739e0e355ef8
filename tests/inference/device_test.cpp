#include "inference/device.h"

#include <gtest/gtest.h>

#include <cstdlib>

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
  const auto setting = refused([] { return use_device("cuda", "libtorch"); }, "model.device");
  EXPECT_TRUE(setting.starts_with("is 'cuda', but ")) << setting;
  EXPECT_EQ(refused([] { return use_device_option("cuda", "libtorch"); }, "--device"), setting);
  EXPECT_EQ(device_in_use(), "cpu");
}

}  // namespace
}  // namespace compeer::inference
