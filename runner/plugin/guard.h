#pragma once
#include <functional>
#include <mutex>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "base/processes.h"
#include "plugin/caller_state.h"
#include "plugin/library.h"

// The guard around every call from this program into a plugin's code: it turns exceptions into errors that name the
// plugin, and detects state or processes that the call left behind.

namespace compeer::plugin {

/// An error raised by a plugin: "rewards/length 1.0.0 (/x/rewards/length.so), in score(): <cause>".
class PluginError : public Error {
 public:
  /// `method`: the method of the plugin that was called. `what`: the cause. `help`: the remedy; may be empty. Both
  /// texts are truncated to 4000 bytes. `exit`: the exit code, by default 5 (a plugin failed).
  PluginError(const Identity& identity, const char* method, const std::string& what, const std::string& help = "",
              Exit exit = Exit::plugin);
  /// Copies `failure` and prefixes it with `subject`, the object that the call was about: "record a/7: rewards/length
  /// 1.0.0 (/x/rewards/length.so), in score(): ...". If `failure` has a subject, the new one is put before it: "step 3,
  /// record a/7: ...".
  PluginError(const std::string& subject, const PluginError& failure);
  const std::string& plugin() const { return plugin_; }  ///< title of the plugin: "rewards/length 1.0.0"

 private:
  std::string plugin_;   // title of the plugin
  std::string call_;     // "rewards/length 1.0.0 (/x/rewards/length.so), in score()"
  std::string subject_;  // "step 3, record a/7"; empty if none was given
};

/// To be called within a catch block. Throws the current exception (std::exception, c10::Error, an int, anything) as a
/// PluginError of this plugin and method, with exit code 5, or 1 if a device or a file system failed. A compeer::Error
/// keeps its exit code, so a dataset that finds a damaged file still ends the run with code 4 (unusable data). A
/// PluginError of another plugin, called through the host, is rethrown unchanged.
[[noreturn]] void rethrow(const Identity& identity, const char* method);

/// Throws a PluginError (exit code 5) for a violation of the interface that this program found, such as a wrong result.
[[noreturn]] void refuse(const Identity& identity, const char* method, const std::string& what,
                         const std::string& help = "");

/// Restores the thread and process state that `before` saved before a call of the plugin. Throws a PluginError (exit
/// code 5) if the call had changed any of it.
void leave_as_before(const ThreadStateGuard& before, const Identity& identity, const char* method);

/// Phrase in the warning about a call that forked and returned in both processes; `compeer plugins check` searches the
/// output for it.
constexpr const char* forked_in_call = "forked, and returned in the child process";

/// Prints a warning on standard error if the call that `processes` watched left processes running, once for each method
/// of a plugin. If this process is itself a fork made by the call, prints a warning and ends this process (exit code
/// 5).
void tell_left_processes(const ProcessWatch& processes, const Identity& identity, const char* method);

/// Calls `f`, which calls the given method of the plugin, and returns the result of `f`. Turns exceptions into
/// PluginErrors, restores and checks the caller's state, and warns about processes left running. All calls of plugins
/// use this function.
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

/// Scoped lock on a plugin that several threads call, one at a time. While the thread waits for a chat model, the lock
/// is released (`release_during`), so that other threads can call the plugin. Locks of one thread may be nested.
class PluginLock {
 public:
  /// Locks `door`, the mutex of the plugin, until destruction.
  explicit PluginLock(std::mutex& door) : lock_(door), outer_(std::exchange(current, this)) {}
  ~PluginLock() { current = outer_; }
  PluginLock(const PluginLock&) = delete;
  PluginLock& operator=(const PluginLock&) = delete;

  /// Runs `f` while this thread's innermost PluginLock, if there is one, is unlocked. Locks it again afterwards, also
  /// after an exception.
  template <class F>
  static void release_during(F&& f) {
    if (!current) return f();
    const Absence absence(std::exchange(current, nullptr));
    f();
  }

 private:
  // While it exists, a PluginLock is unlocked.
  struct Absence {
    explicit Absence(PluginLock* from) : visit(from) { from->lock_.unlock(); }
    ~Absence() {
      visit->lock_.lock();
      current = visit;
    }
    Absence(const Absence&) = delete;
    Absence& operator=(const Absence&) = delete;
    PluginLock* visit;  // the unlocked PluginLock
  };

  inline static thread_local PluginLock* current = nullptr;  // this thread's innermost PluginLock; null: none
  std::unique_lock<std::mutex> lock_;
  PluginLock* outer_;  // the enclosing PluginLock of this thread; null: none
};

}  // namespace compeer::plugin
