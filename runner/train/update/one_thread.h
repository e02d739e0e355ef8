#pragma once
#include <ATen/Parallel.h>

namespace compeer::train {

/// While it lives, tensor operations stay on this thread. The library cuts a large sum by the number of its threads,
/// and elementwise operations at places that follow from it, so that bits would depend on that number.
class OneThread {
 public:
  OneThread() { at::set_num_threads(1); }
  ~OneThread() { at::set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  const int before_ = at::get_num_threads();
};

}  // namespace compeer::train
