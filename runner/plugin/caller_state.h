#pragma once
#include <limits.h>

#include <csignal>
#include <cstdint>
#include <locale>
#include <string>
#include <string_view>
#include <vector>

namespace compeer::plugin {

/// Saved thread and process state that a call of a plugin could leave changed and that would silently alter later
/// results: this thread's floating-point control (rounding mode, denormals, exception traps) and signal mask, the
/// current folder and the locale. Each call of a plugin is surrounded by one: construct it before the call, call
/// `restore` after it, on the same thread. Each takes about a microsecond. Floating-point status flags are ignored. The
/// destructor does not restore anything.
class ThreadStateGuard {
 public:
  /// Saves the current state.
  ThreadStateGuard();

  /// Restores each part of the state that differs from the saved one and returns the names of these parts ("the
  /// rounding mode", "the current folder"); empty if nothing differed. The folder and the locale belong to the process,
  /// so changes by other threads are found, too.
  std::vector<std::string> restore() const;

  /// The name that `restore` returns for the mode that flushes denormal numbers to zero. Loading a library that was
  /// linked with -ffast-math changes this mode.
  static constexpr std::string_view denormals = "the treatment of denormal numbers";

 private:
  // The parts of `restore`. The first returns the names of the restored parts, the others true if they restored.
  std::vector<std::string> restore_arithmetic() const;  // floating-point control
  bool restore_signals() const;
  bool restore_folder() const;
  bool restore_locale() const;

  // The saved state.
  uint32_t sse_ = 0;       // control bits of MXCSR, the control and status register of SSE; x86 only
  uint16_t x87_ = 0;       // x87 control word; on other processors the rounding mode (fegetround)
  sigset_t blocked_ = {};  // this thread's signal mask
  char folder_[PATH_MAX];  // current folder; empty if it could not be determined
  std::locale locale_;     // global C++ locale
  std::string c_locale_;   // C locale (setlocale)
};

/// Returns the names that `ThreadStateGuard::restore` returned as one phrase for an error message: "the rounding mode
/// and the current folder".
std::string in_words(const std::vector<std::string>& changed);
/// Remedy that an error message shows to the author of a plugin that left state changed.
constexpr auto leave_as_it_was = "other code relies on it: restore it before the call returns, also after an exception";

}  // namespace compeer::plugin
