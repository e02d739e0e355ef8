#pragma once
#include <string>

#include "compeer/model.h"
#include "train/metrics/memory.h"

namespace compeer::train {

/// What a run's first steps add on a device, where weights are already, in MiB: gradients in float32, activations that
/// are kept for the way back, logits and the head's gradient, keys and values. With an adapter, `trained` are its own.
struct DeviceMemory {
  double weights = 0, gradients = 0, activations = 0, logits = 0, pages = 0;
  double more() const { return gradients + activations + logits + pages; }
};
DeviceMemory device_memory(const ModelShape& shape, int64_t parameters, int64_t trained, const PeakMemory& demand,
                           bool recomputed);

/// Throws Error (exit 3) that says how to need less, if a device's free memory is not enough.
void check_device_memory(const DeviceMemory& sizes, double free);

/// "memory of the device: 1.2 GiB so far + gradients ..."
std::string device_memory_text(const DeviceMemory& sizes, double taken);

}  // namespace compeer::train
