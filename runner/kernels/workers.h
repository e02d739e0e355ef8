#pragma once
#include <cstdint>
#include <memory>
#include <type_traits>

namespace compeer::kernels {

/// Returns the number of threads that kernels use: OpenMP's maximum, which at::set_num_threads sets for the program and
/// its plugins. No result depends on it.
int threads();

namespace detail {
/// Implements the template below: calls run(work, i) for every i in [0, count).
void parallel_for(int64_t count, void (*run)(void*, int64_t), void* work);
}  // namespace detail

/// Parallel for: calls work(i) once for every i in [0, count), in any order, on this thread and on helper threads,
/// which claim one i after another. Returns when all calls are done. `work` must not throw.
///
/// Unlike OpenMP's barrier, it does not wait for helpers that have not started: if other processes occupy their cores,
/// this thread does the work alone. Idle helpers spin for about 50 microseconds, then sleep. Calls from inside `work`,
/// or while another thread is in `parallel_for`, run on the calling thread only.
template <class Work>
void parallel_for(int64_t count, Work&& work) {
  using Plain = std::remove_reference_t<Work>;
  detail::parallel_for(
      count, [](void* it, int64_t i) { (*static_cast<Plain*>(it))(i); },
      const_cast<void*>(static_cast<const void*>(std::addressof(work))));
}

}  // namespace compeer::kernels
