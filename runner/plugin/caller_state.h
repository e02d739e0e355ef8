#pragma once
#include <limits.h>

#include <csignal>
#include <cstdint>
#include <locale>
#include <string>
#include <string_view>
#include <vector>

namespace compeer::plugin {

/// What whoever is called can leave changed for all code that runs after it, which then computes other numbers, writes
/// other texts or finds other files, without any error: how this thread's arithmetic is set up, which signals it
/// blocks, the current folder, the locale. Taken when this is made; making and comparing it costs about a microsecond.
/// Flags that tell what happened in past calculations don't count.
class CallerState {
 public:
  CallerState();

  /// Puts back what is otherwise now and names it: "the rounding mode", "the current folder". The folder and the locale
  /// are the process's, so that what another thread changed in the meantime is found, too.
  std::vector<std::string> restore() const;

  /// What -ffast-math changes by being linked: the name that `restore` has for it.
  static constexpr std::string_view denormals = "the treatment of denormal numbers";

 private:
  std::vector<std::string> restore_arithmetic() const;
  bool restore_signals() const;
  bool restore_folder() const;
  bool restore_locale() const;

  uint32_t sse_ = 0;
  uint16_t x87_ = 0;
  sigset_t blocked_ = {};
  char folder_[PATH_MAX];  // empty if there is no telling
  std::locale locale_;
  std::string c_locale_;
};

/// "the rounding mode and the current folder", for a message about what a plugin changed; and how to mend that.
std::string in_words(const std::vector<std::string>& changed);
constexpr auto leave_as_it_was = "other code relies on it: put it back before the call ends, on every way out of it";

}  // namespace compeer::plugin
