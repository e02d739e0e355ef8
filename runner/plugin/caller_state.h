#pragma once
#include <limits.h>

#include <csignal>
#include <cstdint>
#include <locale>
#include <string>
#include <string_view>
#include <vector>

namespace compeer::plugin {

/// Thread and process state that a called plugin could leave changed, and that would silently alter later results: this
/// thread's floating-point control (rounding mode, denormals, exception traps) and signal mask, the current folder and
/// the locale. The constructor saves it; saving and comparing takes about a microsecond. Floating-point status flags
/// are ignored.
class ThreadStateGuard {
 public:
  ThreadStateGuard();

  /// Restores whatever differs from the saved state and returns the names of it: "the rounding mode", "the current
  /// folder". The folder and the locale belong to the process, so changes by other threads are found, too.
  std::vector<std::string> restore() const;

  /// The name that `restore` uses for a change of the denormal mode, which loading a library built with -ffast-math
  /// causes.
  static constexpr std::string_view denormals = "the treatment of denormal numbers";

 private:
  std::vector<std::string> restore_arithmetic() const;
  bool restore_signals() const;
  bool restore_folder() const;
  bool restore_locale() const;

  uint32_t sse_ = 0;
  uint16_t x87_ = 0;
  sigset_t blocked_ = {};
  char folder_[PATH_MAX];  // empty if it could not be determined
  std::locale locale_;
  std::string c_locale_;
};

/// Returns "the rounding mode and the current folder", for an error message about what a plugin changed.
std::string in_words(const std::vector<std::string>& changed);
/// Help text for such an error message.
constexpr auto leave_as_it_was = "other code relies on it: restore it before the call returns, also after an exception";

}  // namespace compeer::plugin
