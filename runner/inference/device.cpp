// Loads CUDA at run time, so that one binary works with and without it, and chooses the device of the process.
#include "inference/device.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <array>
#include <filesystem>
#include <optional>

#include "base/error.h"

namespace compeer::inference {

namespace {

namespace fs = std::filesystem;

constexpr const char* fetch =
    "in a checkout, run COMPEER_DEVICE=cuda ./compeer doctor to fetch it; elsewhere add torch/lib of a "
    "libtorch " COMPEER_TORCH_VERSION " with CUDA to LD_LIBRARY_PATH";
constexpr const char* driver =
    "install NVIDIA's driver, or start the container with it (apptainer --nv, docker --gpus all); the device "
    "'cpu' needs no driver";
constexpr const char* device =
    "request a GPU (sbatch --gres=gpu:1, docker --gpus all) and make it visible (CUDA_VISIBLE_DEVICES), or use the "
    "device 'cpu'";

// The error that CUDA can't be used.
struct NoCuda : Error {
  NoCuda(const std::string& why, const std::string& help)
      : Error("device", "is 'cuda', but " + why, help, Exit::usage), reason(why) {}
  std::string reason;
};

[[noreturn]] void refuse(const std::string& reason, const std::string& help) { throw NoCuda(reason, help); }

// Looks up a function of the CUDA runtime, which comes with libtorch and is not linked.
template <class Function>
Function* runtime(const char* name) {
  auto* const found = ::dlsym(RTLD_DEFAULT, name);
  if (!found) refuse("this libtorch was built without CUDA", fetch);
  return reinterpret_cast<Function*>(found);
}

std::string runtime_error(int code) {
  return fmt::format("{} (CUDA error {})", runtime<const char*(int)>("cudaGetErrorString")(code), code);
}

void check(int code, const char* what) {
  if (code != 0) refuse(fmt::format("{}: {}", what, runtime_error(code)), driver);
}

std::string version(int number) { return fmt::format("{}.{}", number / 1000, number % 1000 / 10); }

int runtime_number(const char* function) {
  int number = 0;
  runtime<int(int*)>(function)(&number);
  return number;
}

// Path of libtorch_cuda.so, in the folder of libtorch_cpu.so.
fs::path library() {
  fs::path found;
  ::dl_iterate_phdr(
      [](dl_phdr_info* one, size_t, void* into) {
        const fs::path name = one->dlpi_name ? one->dlpi_name : "";
        if (name.filename() != "libtorch_cpu.so") return 0;
        *static_cast<fs::path*>(into) = name;
        return 1;
      },
      &found);
  std::error_code none;
  return fs::weakly_canonical(found, none).parent_path() / "libtorch_cuda.so";
}

void open_library() {
  if (c10::impl::hasDeviceGuardImpl(c10::DeviceType::CUDA)) return;  // already loaded
  const auto path = library();
  std::error_code none;
  if (!fs::exists(path, none)) refuse("the CUDA part of libtorch is missing: " + path.string(), fetch);
  if (!::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL))
    refuse(
        fmt::format("the CUDA part of libtorch can't be opened: {}", ::dlerror()),
        fmt::format("if ./compeer fetched it, delete {} and run COMPEER_DEVICE=cuda ./compeer doctor to fetch it again",
                    path.string()));
}

std::string driver_version() {
  void* const nvml = ::dlopen("libnvidia-ml.so.1", RTLD_NOW);
  const auto start = nvml ? reinterpret_cast<int (*)()>(::dlsym(nvml, "nvmlInit_v2")) : nullptr;
  const auto ask =
      nvml ? reinterpret_cast<int (*)(char*, unsigned)>(::dlsym(nvml, "nvmlSystemGetDriverVersion")) : nullptr;
  std::array<char, 96> text{};
  const bool known = start && ask && start() == 0 && ask(text.data(), text.size()) == 0;
  return known ? std::string(text.data()) : "for CUDA " + version(runtime_number("cudaDriverGetVersion"));
}

const c10::impl::DeviceGuardImplInterface& guard() { return *c10::impl::getDeviceGuardImpl(c10::DeviceType::CUDA); }

Gpu look_at(int index) {
  Gpu gpu;
  gpu.index = index;
  std::array<char, 8192> properties{};  // cudaDeviceProp begins with the name
  check(runtime<int(void*, int)>("cudaGetDeviceProperties")(properties.data(), index),
        "the properties of a device can't be read");
  gpu.name = properties.data();
  std::array<char, 64> bus{};
  check(runtime<int(char*, int, int)>("cudaDeviceGetPCIBusId")(bus.data(), bus.size(), index),
        "the PCI address of a device can't be read");
  gpu.bus = bus.data();
  constexpr int major = 75, minor = 76;
  const auto attribute = [&](int which) {
    int value = 0;
    check(runtime<int(int*, int, int)>("cudaDeviceGetAttribute")(&value, which, index),
          "an attribute of a device can't be read");
    return value;
  };
  gpu.capability = fmt::format("{}.{}", attribute(major), attribute(minor));
  return gpu;
}

void measure(Gpu& gpu) {
  size_t free = 0, all = 0;
  check(runtime<int(size_t*, size_t*)>("cudaMemGetInfo")(&free, &all), "its memory size can't be read");
  gpu.free = static_cast<int64_t>(free), gpu.memory = static_cast<int64_t>(all);
}

std::string in_use = "cpu", reason;
std::optional<Gpu> gpu;

}  // namespace

std::vector<Gpu> open_cuda() {
  open_library();
  int count = 0;
  const int code = runtime<int(int*)>("cudaGetDeviceCount")(&count);
  constexpr int driver_too_old = 35, no_device = 100;
  if (code == driver_too_old) {
    const int known = runtime_number("cudaDriverGetVersion"), wanted = runtime_number("cudaRuntimeGetVersion");
    if (known == 0) refuse("this machine has no NVIDIA driver", driver);
    refuse(fmt::format("the driver supports CUDA up to {}, and libtorch needs {}", version(known), version(wanted)),
           "install a newer driver, or put torch/lib of a libtorch " COMPEER_TORCH_VERSION
           " for that version of CUDA on LD_LIBRARY_PATH");
  }
  if (code == no_device || (code == 0 && count == 0)) refuse("no NVIDIA device is available", device);
  check(code, "its devices can't be counted");
  std::vector<Gpu> all;
  for (int i = 0; i < count; ++i) all.push_back(look_at(i));
  return all;
}

CudaSoftware cuda_software() {
  return {driver_version(), version(runtime_number("cudaRuntimeGetVersion")), COMPEER_TORCH_VERSION};
}

std::string use_device(const std::string& setting, const std::string& asked, const std::string& engine,
                       int local_rank) {
  if (asked == "auto" && engine == "exact") reason = "the engine 'exact' runs on the CPU only";
  if (asked == "cpu" || (asked == "auto" && engine == "exact")) return in_use = "cpu";
  if (engine == "exact")
    throw Error(setting, "is 'cuda', but model.engine is 'exact', which runs on the CPU only",
                "set model.engine (--engine) to 'libtorch'", Exit::usage);
  std::vector<Gpu> all;
  try {
    all = open_cuda();
  } catch (const NoCuda& error) {
    if (asked != "auto") throw Error(setting, error.problem(), error.help(), error.exit());
    reason = error.reason;
    return in_use = "cpu";
  }
  gpu = all[static_cast<size_t>(local_rank) % all.size()];
  guard().setDevice({c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(gpu->index)});
  return in_use = "cuda";
}

std::string use_device_option(const std::string& given, const std::string& engine) {
  if (use_device("--device", given, engine) == "cpu" && given == "auto")
    fmt::print(stderr, "compeer: note: --device is 'auto', and the model computes on the CPU: {}\n", reason);
  return in_use;
}

const std::string& device_in_use() { return in_use; }

const std::string& why_on_cpu() { return reason; }

Gpu gpu_in_use() {
  Gpu now = gpu.value();
  measure(now);
  return now;
}

double gpu_memory_used_mib() {
  const auto now = gpu_in_use();
  return static_cast<double>(now.memory - now.free) / (1 << 20);
}

Pinned::Pinned(void* memory, size_t bytes) : memory_(nullptr) {
  if (in_use != "cuda" || bytes == 0) return;
  if (runtime<int(void*, size_t, unsigned)>("cudaHostRegister")(memory, bytes, 0) == 0)
    memory_ = memory;
  else
    runtime<int()>("cudaGetLastError")();  // clears the error
}

Pinned::~Pinned() {
  if (memory_) runtime<int(void*)>("cudaHostUnregister")(memory_);
}

std::string text(const Gpu& one) {
  return fmt::format("{} ({:.1f} GiB)", one.name, static_cast<double>(one.memory) / (1 << 30));
}

}  // namespace compeer::inference
