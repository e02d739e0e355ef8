#pragma once
#include <c10/core/Device.h>

#include <cstdint>

namespace compeer::emulated {

/// An emulated device for testing GPU code without a GPU. It is libtorch's backend PrivateUse1; its operators compute
/// on the CPU, but mistakes that fail on a GPU fail here, too:
///   - its memory is at addresses that the host can't read or write: an access raises SIGSEGV
///   - an operator with both host tensors (other than numbers) and device tensors throws
///   - data copied to the host asynchronously is NaN until the host waits
///   - new and freed memory contains NaN
c10::Device device();

/// Counters since the last `forget`.
struct Counts {
  int64_t launches = 0;     ///< operators computed
  int64_t waits = 0;        ///< synchronizations, in which the host waited for the device
  int64_t allocations = 0;  ///< memory allocations
};
/// Returns the counters.
Counts counts();
/// Sets the counters to 0.
void forget();

/// Returns the device memory in use, in bytes.
int64_t in_use();

/// Returns the host memory behind a device address, for stubs of other device libraries.
void* bytes_behind(const void* address);

/// Waits for all pending work.
void synchronize();

/// Lets the `which`-th allocation from now on fail, as if the memory were full (c10::OutOfMemoryError); 0: none.
void fail_allocation(int64_t which);

/// Lets the device fail from the `wait`-th wait from now on (c10::AcceleratorError); 0: never.
void disappear(int64_t wait);

}  // namespace compeer::emulated
