#pragma once
#include <string>

#include "compeer/model.h"
#include "train/metrics/memory.h"

namespace compeer::train {

/// What a run's first steps add on a device, where weights are already, in MiB: gradients in float32, activations that
/// are kept for the way back, logits and the head's gradient, keys and values.
struct DeviceMemory {
  double gradients = 0, activations = 0, logits = 0, pages = 0;
  double more() const { return gradients + activations + logits + pages; }
};

DeviceMemory device_memory(const ModelShape& shape, const Learner& learner, const PeakMemory& demand, bool recomputed);

/// Of a model's weights there, in MiB.
double device_weights(const ModelShape& shape, int64_t count);

/// Throws Error (exit 3) that says how to need less, if a device's free memory is not enough.
void check_device_memory(const DeviceMemory& sizes, double free);

/// "memory of the device: 1.2 GiB so far + gradients ..."
std::string device_memory_text(const DeviceMemory& sizes, double taken);

}  // namespace compeer::train
