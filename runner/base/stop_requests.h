#pragma once
#include <atomic>
#include <cstdint>
#include <ctime>

namespace compeer {

/// Number of times that signals asked this process to stop. GNU timeout signals its child and then its own process
/// group, so one request may arrive as two signals: a signal that comes within a second of the last counted one is not
/// counted, except after reset(). Async-signal-safe.
class StopRequests {
 public:
  /// Returns the count after this signal.
  int add() noexcept {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return add(second * now.tv_sec + now.tv_nsec);
  }
  /// `now`: nanoseconds of one monotonic clock.
  int add(int64_t now) noexcept {
    int64_t last = last_.load(std::memory_order_relaxed);
    const bool same = count() > 0 && now - last < second;
    if (!same && last_.compare_exchange_strong(last, now)) count_.fetch_add(1, std::memory_order_relaxed);
    return count();
  }
  int count() const noexcept { return count_.load(std::memory_order_relaxed); }
  void reset() noexcept { count_ = 0; }

 private:
  static constexpr int64_t second = 1'000'000'000;
  std::atomic<int64_t> last_{-1};  // time of the last counted signal
  std::atomic<int> count_{0};
  static_assert(std::atomic<int64_t>::is_always_lock_free && std::atomic<int>::is_always_lock_free);
};

}  // namespace compeer
