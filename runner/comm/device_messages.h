#pragma once
#include <cstdint>
#include <vector>

#include "comm/world.h"

namespace compeer::comm {

/// Point-to-point messages between the GPUs of different ranks, by NVIDIA's NCCL. Uses the NCCL that libtorch's CUDA
/// libraries contain, found by dlsym at run time; nothing is compiled or linked with NCCL.
class DeviceMessages {
 public:
  /// Collective. Every rank must have its own GPU, which is the current CUDA device. Throws Error (exit 2) on all ranks
  /// if NCCL is missing or fails on any of them.
  explicit DeviceMessages(World& world);
  ~DeviceMessages();
  DeviceMessages(const DeviceMessages&) = delete;
  DeviceMessages& operator=(const DeviceMessages&) = delete;

  /// A message: `count` float32 numbers in device memory, sent to or received from `rank`.
  struct Part {
    float* numbers;
    int64_t count;
    int rank;
  };
  /// Sends and receives all parts as one NCCL group. Several messages between the same two ranks are matched in order.
  /// Does not block: the transfer is enqueued on CUDA's default stream, after the work already there. Throws Error
  /// (exit 1) if NCCL fails.
  void exchange(const std::vector<Part>& sent, const std::vector<Part>& received);

 private:
  void* group_ = nullptr;  // ncclComm_t
};

}  // namespace compeer::comm
