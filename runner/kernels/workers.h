#pragma once
#include <cstdint>
#include <memory>
#include <type_traits>

namespace compeer::kernels {

/// Threads the kernels use: OpenMP's own number, which at::set_num_threads sets for the program and its plugins alike.
/// No result depends on it.
int threads();

namespace detail {
void share(int64_t count, void (*run)(void*, int64_t), void* work);
}

/// Calls work(i) once for every i in [0, count), in any order, on this thread and on helpers that claim one i after
/// another; returns when all are done. `work` must not throw.
///
/// Nobody waits for a helper that has not begun: where a neighbour holds its processor, this thread does the work
/// alone, where OpenMP's barrier would wait for the helper's next turn. Idle helpers watch for work for about 50
/// microseconds and then sleep. Calls from inside `work`, or while another thread shares, run on the calling thread.
template <class Work>
void share(int64_t count, Work&& work) {
  using Plain = std::remove_reference_t<Work>;
  detail::share(
      count, [](void* it, int64_t i) { (*static_cast<Plain*>(it))(i); },
      const_cast<void*>(static_cast<const void*>(std::addressof(work))));
}

}  // namespace compeer::kernels
