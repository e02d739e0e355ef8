#pragma once
#include <c10/core/Device.h>

#include <cstdint>

namespace compeer::emulated {

/// A device for tests of what must run on a GPU where there is none. libtorch knows it as its backend PrivateUse1, and
/// its operators compute on the CPU, but what a GPU doesn't forgive fails here, too:
/// - its memory is at addresses that the host can't read or write: whoever does so dies by SIGSEGV;
/// - an operator that is given a tensor of the host (other than a number) beside one of the device throws;
/// - what is copied to the host without waiting is NaN until somebody waits;
/// - memory that is new, or was given back, holds NaN.
c10::Device device();

/// What was done since `forget`.
struct Counts {
  int64_t launches = 0;     ///< operators that computed
  int64_t waits = 0;        ///< times that the host stood still until the device was done
  int64_t allocations = 0;  ///< of memory
};
Counts counts();
void forget();

/// Bytes in use.
int64_t in_use();

/// Where the bytes behind an address of the device lie, for those who stand in for other libraries of it.
void* bytes_behind(const void* address);

/// Waits for all that was asked for.
void synchronize();

/// The `which`-th allocation from now on fails, as if the memory were full (c10::OutOfMemoryError); 0: none does.
void fail_allocation(int64_t which);

/// From the `wait`-th wait from now on there is no device (c10::AcceleratorError); 0: it stays.
void disappear(int64_t wait);

}  // namespace compeer::emulated
