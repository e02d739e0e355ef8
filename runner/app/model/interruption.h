#pragma once
#include <signal.h>

namespace compeer::app {

/// While it lives, and if `wanted`, Ctrl-C raises a flag instead of ending the program.
class Interruption {
 public:
  explicit Interruption(bool wanted);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  bool raised() const;
  void clear();

 private:
  bool wanted_;
  struct sigaction before_ = {};
};

}  // namespace compeer::app
