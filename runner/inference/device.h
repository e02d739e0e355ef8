#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// Chooses the device, CPU or GPU, on which this process computes with its models. The choice is global: one per
// process, made once before the first tensor. libtorch's CUDA library is not linked but opened at run time, so that one
// binary works with and without it.

namespace compeer::inference {

/// A CUDA device.
struct Gpu {
  int index = 0;                 ///< CUDA device index, as libtorch uses it
  std::string name;              ///< "NVIDIA H100 80GB HBM3"
  std::string bus;               ///< PCI bus id, unique in the machine
  std::string capability;        ///< compute capability: "9.0"
  int64_t memory = 0, free = 0;  ///< total and free memory, in bytes; 0 from `open_cuda`, which does not measure them
};

/// Versions of the software that all GPUs share.
struct CudaSoftware {
  std::string driver, cuda, libtorch;  ///< "580.159.04", "13.0" (CUDA runtime), "2.11.0"
};

/// Loads libtorch's CUDA library and returns the visible devices, at least one. Must be called before the first tensor
/// is created, since libtorch looks for CUDA only once. Throws Error (exit code 2: the machine lacks something) if the
/// library, a driver or a device is missing, or the driver is too old.
std::vector<Gpu> open_cuda();
/// Returns the versions. Only after `open_cuda`.
CudaSoftware cuda_software();

/// Chooses the device of this process's models and returns it: "cpu" or "cuda". `asked`: the setting "cpu", "cuda", or
/// "auto", which chooses CUDA if the engine is "libtorch" and `open_cuda` succeeds. `engine`: "exact" or "libtorch".
/// `local_rank`: number of this process among those of its machine, which get the GPUs round-robin. `setting`: name of
/// the setting in errors. Throws Error (exit code 2) if `asked` is "cuda" and CUDA is not available or the engine is
/// exact.
std::string use_device(const std::string& setting, const std::string& asked, const std::string& engine,
                       int local_rank = 0);
/// The same for a command's option --device, with the value `given`. If "auto" chooses the CPU, prints the reason to
/// standard error.
std::string use_device_option(const std::string& given, const std::string& engine);
/// Returns the result of the last `use_device`; "cpu" before the first call.
const std::string& device_in_use();
/// Returns the reason why "auto" chose the CPU, as a clause for a message; empty if it didn't.
const std::string& why_on_cpu();
/// Returns the GPU in use, with its current free memory. Only if CUDA is in use.
Gpu gpu_in_use();
/// Returns the memory of the GPU in use that all processes have allocated, in MiB. Includes memory that libtorch has
/// freed but keeps for later. Only if CUDA is in use.
double gpu_memory_used_mib();

/// Pins (page-locks) host memory while the object lives, for fast asynchronous copies to and from the GPU. The memory
/// must outlive the object. Does nothing if CUDA is not in use, or refuses.
class Pinned {
 public:
  Pinned(void* memory, size_t bytes);
  Pinned(Pinned&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}
  Pinned& operator=(Pinned&&) = delete;
  ~Pinned();

 private:
  void* memory_;  // the pinned memory, not owned; null: nothing is pinned
};

/// Returns name and total memory: "NVIDIA H100 80GB HBM3 (79.2 GiB)".
std::string text(const Gpu& gpu);

}  // namespace compeer::inference
