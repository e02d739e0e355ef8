#pragma once
#include <signal.h>

namespace compeer::inference {

/// While it lives, and if `wanted`, Ctrl-C raises a flag instead of ending the program.
class Interruption {
 public:
  explicit Interruption(bool wanted);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  bool raised() const;
  void clear();
  /// Can be read while the flag is up, so that one that goes up just before somebody waits wakes them too. -1 if not
  /// wanted.
  int descriptor() const;

 private:
  bool wanted_;
  struct sigaction before_ = {};
};

}  // namespace compeer::inference
