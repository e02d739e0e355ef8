#pragma once
#include <cstddef>
#include <vector>

namespace compeer::kernels {

/// Room for one kernel's working numbers, this thread's, kept between calls; valid until its next call of this.
inline float* scratch(size_t floats) {
  thread_local std::vector<float> memory;
  if (memory.size() < floats) memory.resize(floats);
  return memory.data();
}

}  // namespace compeer::kernels
