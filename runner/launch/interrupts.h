#pragma once
#include <signal.h>

#include <array>

namespace compeer::launch {

/// While it lives, SIGINT, SIGTERM, SIGHUP and what batch systems send, SIGUSR1 and SIGUSR2, are counted
/// (base/stop_requests.h) instead of ending this process.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  int count() const;
  /// Throws Error (exit 85) if a signal came.
  void check() const;

 private:
  static constexpr std::array<int, 5> signals{SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
  std::array<struct sigaction, signals.size()> before_;
};

}  // namespace compeer::launch
