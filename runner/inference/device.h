#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace compeer::inference {

/// One that CUDA knows, by the number that libtorch gives it.
struct Gpu {
  int index = 0;
  std::string name;        ///< "NVIDIA H100 80GB HBM3"
  std::string bus;         ///< its place in the machine, which no other has
  std::string capability;  ///< "9.0"
  int64_t memory = 0, free = 0;
};

/// What all of them need, as `compeer doctor` and certificates name it.
struct CudaSoftware {
  std::string driver, cuda, libtorch;  ///< "580.159.04", "13.0", "2.11.0"
};

/// CUDA's part of libtorch is opened when it is first asked for, beside the CPU's; nothing is linked with it. That must
/// come before the first tensor is made, for libtorch looks for it once. Throws Error (exit 2) if the part, a driver or
/// a device is missing, or the driver is too old.
std::vector<Gpu> open_cuda();
CudaSoftware cuda_software();

/// Where models of this process compute: cpu, cuda or auto, which means CUDA where `open_cuda` finds something and
/// engine is libtorch. With CUDA, processes of one machine take its devices in turn. Returns "cpu" or "cuda";
/// `device_in_use` gives the same afterwards, "cpu" before. Errors name the setting.
std::string use_device(const std::string& setting, const std::string& asked, const std::string& engine,
                       int local_rank = 0);
/// The same of a command's --device. Says on standard error why auto found no GPU.
std::string use_device_option(const std::string& given, const std::string& engine);
const std::string& device_in_use();
const std::string& why_on_cpu();  ///< what auto found
/// Of CUDA; its free memory is that of this moment.
Gpu gpu_in_use();
double memory_taken();  ///< of its memory, by all programs, in MiB; what libtorch frees it keeps

/// Memory of the host that CUDA copies from and to without a stop in between, for as long as the object lives, which
/// must be less than the memory. Nothing is done if CUDA isn't in use, or won't.
class Pinned {
 public:
  Pinned(void* memory, size_t bytes);
  Pinned(Pinned&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}
  Pinned& operator=(Pinned&&) = delete;
  ~Pinned();

 private:
  void* memory_;
};

/// "NVIDIA H100 80GB HBM3 (79.2 GiB)"
std::string text(const Gpu& gpu);

}  // namespace compeer::inference
