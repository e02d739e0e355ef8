#pragma once
#include <signal.h>

#include <array>

namespace compeer::app {

/// While it lives, SIGINT, SIGTERM and SIGHUP are counted instead of ending this process.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  int count() const;

 private:
  static constexpr std::array<int, 3> signals{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, signals.size()> before_;
};

}  // namespace compeer::app
