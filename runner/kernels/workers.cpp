// A thread pool for short parallel loops that does not depend on all helpers being scheduled.
#include "kernels/workers.h"

#include <omp.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

namespace compeer::kernels {

int threads() { return omp_get_max_threads(); }

namespace {

void pause() { __builtin_ia32_pause(); }

// True while this thread executes part of a parallel loop.
thread_local bool busy = false;

class Workers {
 public:
  ~Workers() {
    stop_ = true;
    post();
    for (auto& helper : helpers_) helper.join();
  }

  // Returns false if another thread is using the helpers. At most `helpers` helpers join.
  bool try_parallel_for(int64_t count, void (*run)(void*, int64_t), void* work, int helpers) {
    const std::unique_lock lock(sharing_, std::try_to_lock);
    if (!lock) return false;
    while (static_cast<int>(helpers_.size()) < helpers)
      helpers_.emplace_back([this, index = static_cast<int>(helpers_.size())] { help(index); });
    run_ = run, work_ = work, count_ = count, wanted_ = helpers;
    next_.store(0, std::memory_order_relaxed);
    gate_.store((gate_.load(std::memory_order_relaxed) & turn_mask) + next_turn + open_bit, std::memory_order_release);
    post();
    claim();
    gate_.fetch_and(~open_bit, std::memory_order_acq_rel);
    for (int i = 0; gate_.load(std::memory_order_acquire) & inside_mask; ++i) i < 4096 ? pause() : void(sched_yield());
    return true;
  }

 private:
  // Fields of `gate_`: number of helpers inside, whether more may enter, number of the loop. In one word, so that
  // entering and closing are atomic.
  static constexpr uint64_t inside_mask = 0xffff, open_bit = 1 << 16, next_turn = 1 << 17, turn_mask = ~(next_turn - 1);

  // Wakes helpers.
  void post() {
    posted_.fetch_add(1);
    if (sleeping_.load() > 0) posted_.notify_all();
  }

  // Executes iterations until none is left.
  void claim() {
    busy = true;
    for (int64_t i = next_.fetch_add(1); i < count_; i = next_.fetch_add(1)) run_(work_, i);
    busy = false;
  }

  // The main loop of a helper.
  void help(int index) {
    uint64_t last = 0;  // the last loop that this helper has joined
    for (;;) {
      const uint32_t seen = posted_.load();
      if (stop_) return;  // checked after reading `seen`, so that the last post() is not missed
      uint64_t gate = gate_.load(std::memory_order_acquire);
      if ((gate & open_bit) && (gate & turn_mask) != last) {
        if (!gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acq_rel)) continue;
        last = gate & turn_mask;
        if (index < wanted_) claim();
        gate_.fetch_sub(1, std::memory_order_acq_rel);
      } else {
        wait(seen);
      }
    }
  }

  // Waits for a post() after `seen`: spins for 50 microseconds, then sleeps.
  void wait(uint32_t seen) {
    using std::chrono::steady_clock;
    const auto until = steady_clock::now() + std::chrono::microseconds(50);
    while (steady_clock::now() < until) {
      for (int i = 0; i < 16; ++i) {
        if (posted_.load(std::memory_order_relaxed) != seen) return;
        pause();
      }
    }
    ++sleeping_;
    posted_.wait(seen);
    --sleeping_;
  }

  std::mutex sharing_;
  std::vector<std::thread> helpers_;
  std::atomic<bool> stop_ = false;
  std::atomic<uint32_t> posted_ = 0;
  std::atomic<int> sleeping_ = 0;
  alignas(64) std::atomic<uint64_t> gate_ = 0;
  alignas(64) std::atomic<int64_t> next_ = 0;
  void (*run_)(void*, int64_t) = nullptr;
  void* work_ = nullptr;
  int64_t count_ = 0;
  int wanted_ = 0;
};

}  // namespace

void detail::parallel_for(int64_t count, void (*run)(void*, int64_t), void* work) {
  static Workers workers;
  const int helpers = busy || omp_in_parallel() ? 0 : static_cast<int>(std::min<int64_t>(count, threads())) - 1;
  if (helpers > 0 && workers.try_parallel_for(count, run, work, helpers)) return;
  for (int64_t i = 0; i < count; ++i) run(work, i);
}

}  // namespace compeer::kernels
