#include "inference/device.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/disk.h"
#include "base/error.h"
#include "inference/certificate.h"

namespace compeer::inference {
namespace {

// Hides all CUDA devices.
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

// libtorch's CPU part includes the CUDA runtime, which alone can't use a device.
TEST_F(WithoutADevice, CudasPartOfLibtorchIsMissingWhereItIs) {
  try {
    open_cuda();
    FAIL() << "no device is visible";
  } catch (const Error& error) {
    const std::string problem = error.problem(), missing = "is 'cuda', but the CUDA part of libtorch is missing: ";
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
            "compeer: note: --device is 'auto', and the model computes on the CPU: the engine 'exact' runs on the CPU "
            "only\n");
  testing::internal::CaptureStderr();
  EXPECT_EQ(use_device_option("auto", "libtorch"), "cpu");
  EXPECT_TRUE(testing::internal::GetCapturedStderr().ends_with("computes on the CPU: " + why_on_cpu() + "\n"));
  testing::internal::CaptureStderr();
  EXPECT_EQ(use_device_option("cpu", "libtorch"), "cpu");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

using nlohmann::ordered_json;

class Certificates : public testing::Test {
 protected:
  Certificates() { ::setenv("XDG_CACHE_HOME", scratch.folder().c_str(), 1); }

  Gpu gpu() const {
    Gpu one;
    one.name = "NVIDIA X1 (a/b)";
    return one;
  }
  const Scratch scratch;
  const CudaSoftware software{"580.1", "13.0", "2.11.0"};
};

TEST_F(Certificates, AreOfOneDeviceDriverAndLibrary) {
  EXPECT_FALSE(find_certificate(gpu(), software));
  EXPECT_EQ(
      certificate_text(gpu(), software),
      "NVIDIA X1 (a/b) with driver 580.1 is not certified on this machine; test it with compeer doctor --device cuda");
  const auto file = write_certificate(gpu(), software, 0.0178, ordered_json::array({1, 2, 3}), {{"copy", 4}});
  EXPECT_EQ(file, (scratch.folder() / "compeer/certificates/NVIDIA-X1--a-b--580.1-libtorch-2.11.0.json").string());
  const auto found = find_certificate(gpu(), software);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->checks, 3);
  EXPECT_EQ(found->difference, 0.0178);
  EXPECT_EQ(certificate_text(gpu(), software),
            "NVIDIA X1 (a/b) with driver 580.1 was certified on " + found->date +
                ": 3 checks, rollout and trainer log-probabilities differ by up to 0.018 nats");
  EXPECT_FALSE(find_certificate(gpu(), {"580.2", "13.0", "2.11.0"}));
  EXPECT_FALSE(find_certificate(gpu(), {"580.1", "13.0", "2.12.0"}));
}

TEST_F(Certificates, AreOfWhatTheyNameWhateverTheirFileIsCalled) {
  const auto file = write_certificate(gpu(), software, 0, ordered_json::array(), {});
  const auto good = ordered_json::parse(std::ifstream(file));
  ASSERT_TRUE(find_certificate(gpu(), software));
  for (const char* name : {"device", "driver", "libtorch", "compeer"}) {
    auto other = good;
    other[name] = "0.0.1";
    std::ofstream(file) << other;
    EXPECT_FALSE(find_certificate(gpu(), software)) << name;
  }
}

TEST_F(Certificates, ThatCantBeReadCertifyNothing) {
  const std::filesystem::path file = write_certificate(gpu(), software, 0, ordered_json::array(), {});
  std::ofstream(file) << std::string((1 << 20) + 1, ' ');
  EXPECT_FALSE(find_certificate(gpu(), software));
  std::filesystem::remove(file);
  std::filesystem::create_directories(file);
  EXPECT_FALSE(find_certificate(gpu(), software));
}

TEST_F(Certificates, ThatAreDamagedCertifyNothing) {
  const auto file = write_certificate(gpu(), software, 0, ordered_json::array(), {});
  for (const char* text : {"", "[1", "7", "{}", R"({"date": 7, "checks": [], "rollout_trainer_max_diff": 0})"}) {
    std::ofstream(file) << text;
    EXPECT_FALSE(find_certificate(gpu(), software)) << text;
  }
}

}  // namespace
}  // namespace compeer::inference
