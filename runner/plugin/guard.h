#pragma once
#include <functional>
#include <mutex>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "base/processes.h"
#include "plugin/caller_state.h"
#include "plugin/library.h"

namespace compeer::plugin {

/// An error raised by a plugin: "rewards/length 1.0.0 (/x/rewards/length.so), in score(): <cause>".
class PluginError : public Error {
 public:
  PluginError(const Identity& identity, const char* method, const std::string& what, const std::string& help = "",
              Exit exit = Exit::plugin);
  /// Prefixes an error with the subject of the call: "record a/7: rewards/length 1.0.0 (/x/rewards/length.so), in
  /// score(): ..."; applied twice, "step 3, record a/7: ...".
  PluginError(const std::string& subject, const PluginError& failure);
  const std::string& plugin() const { return plugin_; }  ///< "rewards/length 1.0.0"

 private:
  std::string plugin_;   // "rewards/length 1.0.0"
  std::string call_;     // "rewards/length 1.0.0 (/x/rewards/length.so), in score()"
  std::string subject_;  // "step 3, record a/7"; empty if not set
};

/// Call within a catch block. Throws the current exception (std::exception, c10::Error, an int, anything) as a
/// PluginError with exit 5, or exit 1 if a device or a file system failed. A compeer::Error keeps its exit code, so a
/// dataset that finds a damaged file still ends the run with 4. A PluginError of another plugin, called through the
/// host, is rethrown unchanged.
[[noreturn]] void rethrow(const Identity& identity, const char* method);

/// Throws a PluginError (exit 5) for a violation that the plugin did not report by an exception.
[[noreturn]] void refuse(const Identity& identity, const char* method, const std::string& what,
                         const std::string& help = "");

/// Throws a PluginError (exit 5) if the call left any of its caller's state changed. Restores the state first.
void leave_as_before(const ThreadStateGuard& before, const Identity& identity, const char* method);

/// Part of the warning about a call that forked and returned in both processes.
constexpr const char* forked_in_call = "forked, and returned in the child process";

/// Prints a warning on standard error if a call left processes running, once for each method of a plugin. If this
/// process is a fork made by the call, ends it.
void tell_left_processes(const ProcessWatch& processes, const Identity& identity, const char* method);

/// Calls `f`, which calls the plugin: turns exceptions into PluginErrors, restores and checks the caller's state, and
/// warns about processes left running. All calls of plugins go through this function.
template <class F>
decltype(auto) guard(const Identity& identity, const char* method, F&& f) {
  const ThreadStateGuard before;
  const ProcessWatch processes;
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
      std::invoke(std::forward<F>(f));
      tell_left_processes(processes, identity, method);
      leave_as_before(before, identity, method);
    } else {
      decltype(auto) result = std::invoke(std::forward<F>(f));
      tell_left_processes(processes, identity, method);
      leave_as_before(before, identity, method);
      return result;
    }
  } catch (...) {
    if (processes.in_copy()) tell_left_processes(processes, identity, method);
    before.restore();
    rethrow(identity, method);
  }
}

/// Holds the lock of a plugin that several threads call, one at a time. While the thread waits for a chat model, the
/// lock is released (`release_during`), so that other threads can enter.
class PluginLock {
 public:
  /// Waits for the plugin's mutex.
  explicit PluginLock(std::mutex& door) : lock_(door), outer_(std::exchange(current, this)) {}
  ~PluginLock() { current = outer_; }
  PluginLock(const PluginLock&) = delete;
  PluginLock& operator=(const PluginLock&) = delete;

  /// Runs `f` with the lock of this thread's current PluginLock released, if there is one.
  template <class F>
  static void release_during(F&& f) {
    if (!current) return f();
    const Absence absence(std::exchange(current, nullptr));
    f();
  }

 private:
  // Releases the lock of `visit` while it lives.
  struct Absence {
    explicit Absence(PluginLock* from) : visit(from) { from->lock_.unlock(); }
    ~Absence() {
      visit->lock_.lock();
      current = visit;
    }
    Absence(const Absence&) = delete;
    Absence& operator=(const Absence&) = delete;
    PluginLock* visit;
  };

  inline static thread_local PluginLock* current = nullptr;  // this thread's innermost lock; null: none, or released
  std::unique_lock<std::mutex> lock_;
  PluginLock* outer_;  // the value of `current` before
};

}  // namespace compeer::plugin
