// Messages about CUDA drivers and devices. The test defines CUDA's runtime functions itself.
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/error.h"
#include "inference/device.h"

namespace {

struct Machine {
  int code = 0;  // returned by cudaGetDeviceCount
  int devices = 4, driver = 13000;
  std::vector<int> chosen;
} machine;

struct Guard : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return c10::DeviceType::CUDA; }
  c10::Device exchangeDevice(c10::Device d) const override { return d; }
  c10::Device getDevice() const override { return {type(), 0}; }
  void setDevice(c10::Device d) const override { machine.chosen.push_back(d.index()); }
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::Stream getStream(c10::Device d) const override { return c10::Stream(c10::Stream::DEFAULT, d); }
  c10::Stream exchangeStream(c10::Stream s) const override { return s; }
  c10::DeviceIndex deviceCount() const noexcept override { return static_cast<c10::DeviceIndex>(machine.devices); }
};
C10_REGISTER_GUARD_IMPL(CUDA, Guard)

}  // namespace

#define RUNTIME extern "C" __attribute__((visibility("default")))
RUNTIME int cudaGetDeviceCount(int* count) { return *count = machine.devices, machine.code; }
RUNTIME int cudaDriverGetVersion(int* version) { return *version = machine.driver, 0; }
RUNTIME int cudaRuntimeGetVersion(int* version) { return *version = 13000, 0; }
RUNTIME const char* cudaGetErrorString(int) { return "the machine is on fire"; }
RUNTIME int cudaGetDeviceProperties(void* properties, int) {
  return std::strcpy(static_cast<char*>(properties), "NVIDIA X1"), 0;
}
RUNTIME int cudaDeviceGetPCIBusId(char* bus, int, int index) {
  return bus[0] = static_cast<char>('0' + index), bus[1] = '\0', 0;
}
RUNTIME int cudaDeviceGetAttribute(int* value, int, int) { return *value = 9, 0; }
RUNTIME int cudaMemGetInfo(size_t* free, size_t* all) { return *free = 1 << 30, *all = size_t{2} << 30, 0; }

namespace compeer::inference {
namespace {

class Cuda : public testing::Test {
 protected:
  Cuda() { machine = {}; }
  ~Cuda() override { use_device("model.device", "cpu", "libtorch"); }
};

std::string refused() {
  try {
    use_device("model.device", "cuda", "libtorch");
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::usage);
    return std::string(error.what());
  }
  return "accepted";
}

TEST_F(Cuda, GivesProcessesOfAMachineItsDevicesInTurn) {
  for (const int rank : {0, 1, 3, 4, 6}) EXPECT_EQ(use_device("model.device", "cuda", "libtorch", rank), "cuda");
  EXPECT_EQ(machine.chosen, (std::vector<int>{0, 1, 3, 0, 2}));
  EXPECT_EQ(gpu_in_use().bus, "2");
  EXPECT_EQ(text(gpu_in_use()), "NVIDIA X1 (2.0 GiB)");
  EXPECT_EQ(gpu_memory_used_mib(), 1024);
  EXPECT_EQ(use_device("model.device", "auto", "libtorch"), "cuda");
  EXPECT_EQ(use_device("model.device", "auto", "exact"), "cpu");
}

TEST_F(Cuda, NeedsADriverThatKnowsIt) {
  machine.code = 35, machine.driver = 12040;
  EXPECT_EQ(refused(),
            "model.device: is 'cuda', but the driver supports CUDA up to 12.4, and libtorch needs 13.0\n  help: "
            "install a newer driver, or put torch/lib of a libtorch " COMPEER_TORCH_VERSION
            " for that version of CUDA on LD_LIBRARY_PATH");
  machine.driver = 0;
  EXPECT_TRUE(
      refused().starts_with("model.device: is 'cuda', but this machine has no NVIDIA driver\n  help: install "));
  EXPECT_EQ(use_device("model.device", "auto", "libtorch"), "cpu");
  EXPECT_EQ(why_on_cpu(), "this machine has no NVIDIA driver");
}

TEST_F(Cuda, NeedsADevice) {
  machine.code = 100;
  EXPECT_TRUE(
      refused().starts_with("model.device: is 'cuda', but no NVIDIA device is available\n  help: request a GPU (sbatch "
                            "--gres=gpu:1, docker --gpus all) and make it visible"))
      << refused();
  machine = {}, machine.devices = 0;
  EXPECT_TRUE(refused().starts_with("model.device: is 'cuda', but no NVIDIA device is available"));
  machine.code = 999;
  EXPECT_TRUE(refused().starts_with(
      "model.device: is 'cuda', but its devices can't be counted: the machine is on fire (CUDA error 999)"));
}

}  // namespace
}  // namespace compeer::inference
