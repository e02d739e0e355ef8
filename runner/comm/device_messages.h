#pragma once
#include <cstdint>
#include <vector>

#include "comm/world.h"

namespace compeer::comm {

/// Point-to-point messages between the GPUs of different ranks (processes), by NVIDIA's NCCL, for summing gradients
/// without a copy to the host. Uses the NCCL that libtorch's CUDA libraries contain, found by dlsym at run time;
/// nothing is compiled or linked with NCCL.
class DeviceMessages {
 public:
  /// Collective. Every rank must have its own GPU, which is the current CUDA device. Throws Error (exit code 2:
  /// unsuitable machine) on all ranks if NCCL is missing or fails on any of them.
  explicit DeviceMessages(World& world);
  ~DeviceMessages();
  DeviceMessages(const DeviceMessages&) = delete;
  DeviceMessages& operator=(const DeviceMessages&) = delete;

  /// A message to or from another rank.
  struct Part {
    float* numbers;  ///< device memory; must stay valid until the transfer is complete
    int64_t count;   ///< number of float32 elements; a part of 0 elements is skipped
    int rank;        ///< receiver or sender
  };
  /// Sends the parts `sent` and receives the parts `received` as one NCCL group. Several messages between the same two
  /// ranks are matched in order. Does not block: the transfer is enqueued on CUDA's default stream, after the work
  /// already there. Throws Error (exit code 1: other failure) if NCCL fails.
  void exchange(const std::vector<Part>& sent, const std::vector<Part>& received);

 private:
  void* group_ = nullptr;  // the NCCL communicator (ncclComm_t) of all ranks; owned
};

}  // namespace compeer::comm
