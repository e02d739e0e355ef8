#pragma once
#include <atomic>

namespace compeer::comm {

/// A request to stop, set by a signal handler: the run writes a checkpoint after the current training step and ends
/// with exit code 85. Signals reach ranks at different times, so decide by `world.any(stop.raised())`.
/// Async-signal-safe.
class StopFlag {
 public:
  void raise(int signal) noexcept {
    int none = 0;
    signal_.compare_exchange_strong(none, signal);
  }
  bool raised() const noexcept { return signal() != 0; }
  int signal() const noexcept { return signal_.load(std::memory_order_relaxed); }  ///< first signal; 0: none yet

 private:
  std::atomic<int> signal_{0};
  static_assert(std::atomic<int>::is_always_lock_free);
};

}  // namespace compeer::comm
