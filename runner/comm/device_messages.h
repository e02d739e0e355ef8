#pragma once
#include <cstdint>
#include <vector>

#include "comm/world.h"

namespace compeer::comm {

/// Messages from one rank's device to another's, by NVIDIA's NCCL. CUDA's part of libtorch brings that with it: it is
/// looked for when it is first needed, and nothing is compiled or linked with it.
class DeviceMessages {
 public:
  /// Collective. Each rank has a device of its own, which is in use. Throws Error (exit 2) on all ranks if one of them
  /// has no NCCL, or it fails.
  explicit DeviceMessages(World& world);
  ~DeviceMessages();
  DeviceMessages(const DeviceMessages&) = delete;
  DeviceMessages& operator=(const DeviceMessages&) = delete;

  /// Numbers in a device's memory, on their way to or from a rank.
  struct Part {
    float* numbers;
    int64_t count;
    int rank;
  };
  /// All of these travel together; of several between the same two ranks the first is received first. Waits for
  /// nobody: it happens on the device, behind what that was asked to do before.
  void exchange(const std::vector<Part>& sent, const std::vector<Part>& received);

 private:
  void* group_ = nullptr;  // ncclComm_t
};

}  // namespace compeer::comm
