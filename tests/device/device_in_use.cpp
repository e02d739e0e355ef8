// Replaces runner/inference/device.cpp: a run that asks for CUDA gets the emulated device, one per rank.
#include "inference/device.h"

#include "base/error.h"
#include "device/emulated_device.h"

namespace compeer::inference {

namespace {

std::string in_use = "cpu", reason = "COMPEER_EMULATED is 'none'";
int rank = 0;

}  // namespace

std::vector<Gpu> open_cuda() { return {gpu_in_use()}; }

CudaSoftware cuda_software() { return {"emulated", "emulated", "emulated"}; }

std::string use_device(const std::string& setting, const std::string& asked, const std::string&, int local_rank) {
  const char* none = std::getenv("COMPEER_EMULATED");
  if (asked == "cuda" && none) throw Error(setting, "is 'cuda', but there is no device", "", Exit::usage);
  if (asked == "cpu" || none) return in_use = "cpu";
  rank = local_rank;
  emulated::device();
  if (const char* which = std::getenv("COMPEER_EMULATED_FULL")) emulated::fail_allocation(std::stoll(which));
  if (const char* which = std::getenv("COMPEER_EMULATED_GONE")) emulated::disappear(std::stoll(which));
  return in_use = "emulated";
}

std::string use_device_option(const std::string& given, const std::string& engine) {
  return use_device("--device", given, engine);
}

const std::string& device_in_use() { return in_use; }

const std::string& why_on_cpu() { return reason; }

Gpu gpu_in_use() {
  constexpr int64_t memory = int64_t{8} << 30;
  return {rank, "an emulated device", std::to_string(rank), "0.0", memory, memory - emulated::in_use()};
}

double gpu_memory_used_mib() { return static_cast<double>(emulated::in_use()) / (1 << 20); }

Pinned::Pinned(void*, size_t) : memory_(nullptr) {}
Pinned::~Pinned() = default;

std::string text(const Gpu& gpu) { return gpu.name; }

}  // namespace compeer::inference
