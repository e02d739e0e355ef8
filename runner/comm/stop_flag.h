#pragma once
#include <atomic>

namespace compeer::comm {

/// Set by a signal handler when the process is asked to stop politely: save at the step's edge and leave with exit
/// code 85. Signals reach ranks at different times, so ask `world.any(stop.raised())` before acting on it.
class StopFlag {
 public:
  void raise(int signal) noexcept {
    int none = 0;
    signal_.compare_exchange_strong(none, signal);
  }
  bool raised() const noexcept { return signal() != 0; }
  int signal() const noexcept { return signal_.load(std::memory_order_relaxed); }  ///< the first one; 0: none yet

 private:
  std::atomic<int> signal_{0};
  static_assert(std::atomic<int>::is_always_lock_free);
};

}  // namespace compeer::comm
