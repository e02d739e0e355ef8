#pragma once
#include <atomic>

namespace compeer::comm {

/// A request to stop, set by a signal handler: the run writes a checkpoint after the current training step and ends
/// with exit code 85 (stopped by a signal). Signals reach ranks at different times, so ranks must agree on the end with
/// `world.any(stop.raised())`. Async-signal-safe.
class StopFlag {
 public:
  /// Sets the flag. `signal`: number of the signal that asks for the stop; only the first one is stored.
  void raise(int signal) noexcept {
    int none = 0;
    signal_.compare_exchange_strong(none, signal);
  }
  bool raised() const noexcept { return signal() != 0; }
  int signal() const noexcept {
    return signal_.load(std::memory_order_relaxed);
  }  ///< number of the first signal; 0: none

 private:
  std::atomic<int> signal_{0};  // number of the first signal; 0: none
  static_assert(std::atomic<int>::is_always_lock_free);
};

}  // namespace compeer::comm
