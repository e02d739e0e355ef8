#pragma once
#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

namespace compeer::serve {

/// While it lives, the first SIGINT or SIGTERM calls `told`, in a thread of its own. If `told` returns false, or on a
/// second signal (base/stop_requests.h), the signal ends the process as it would by default. To be made before any
/// other thread: those made later leave both signals to it.
class EndSignals {
 public:
  explicit EndSignals(std::function<bool()> told);
  ~EndSignals();

 private:
  void wait();

  const std::function<bool()> told_;
  sigset_t both_, before_;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

}  // namespace compeer::serve
