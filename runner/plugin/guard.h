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

/// An error that came out of a plugin: "rewards/length 1.0.0 (/x/rewards/length.so), in score(): <cause>".
class PluginError : public Error {
 public:
  PluginError(const Identity& identity, const char* method, const std::string& what, const std::string& help = "",
              Exit exit = Exit::plugin);
  /// The same with what the call was about: "record a/7: rewards/length 1.0.0 (/x/rewards/length.so), in score(): ...";
  /// done twice, "step 3, record a/7: ...".
  PluginError(const std::string& subject, const PluginError& failure);
  const std::string& plugin() const { return plugin_; }  ///< "rewards/length 1.0.0"

 private:
  std::string plugin_, call_, subject_;
};

/// Call within a catch block: turns whatever is being thrown (std::exception, c10::Error, an int, anything) into a
/// PluginError, exit 5 (1: a device or a file system failed). A compeer::Error keeps its own exit code, so a dataset
/// that finds its file damaged still ends the run with 4; a PluginError of another plugin, called through the host,
/// stays what it is.
[[noreturn]] void rethrow(const Identity& identity, const char* method);

/// What a plugin did wrong that it didn't throw: a PluginError, exit 5.
[[noreturn]] void refuse(const Identity& identity, const char* method, const std::string& what,
                         const std::string& help = "");

/// Refuses a call that has left anything of its caller's changed, which is put back first.
void leave_as_before(const CallerState& before, const Identity& identity, const char* method);

/// Warns on standard error of processes that a call has left running, once for each method of a plugin. Ends this
/// process if it is a copy that the call forked.
void tell_left_processes(const ProcessWatch& processes, const Identity& identity, const char* method);

/// The one way by which the runner calls into plugins.
template <class F>
decltype(auto) guard(const Identity& identity, const char* method, F&& f) {
  const CallerState before;
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

/// A thread's visit to a plugin that several threads call, one at a time. A visitor who waits for a chat model leaves
/// meanwhile, so that others can go in.
class Visit {
 public:
  explicit Visit(std::mutex& door) : lock_(door), outer_(std::exchange(current, this)) {}
  ~Visit() { current = outer_; }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

  /// f(), with this thread outside, if it is on a visit.
  template <class F>
  static void leave_during(F&& f) {
    if (!current) return f();
    const Absence absence(std::exchange(current, nullptr));
    f();
  }

 private:
  struct Absence {
    explicit Absence(Visit* from) : visit(from) { from->lock_.unlock(); }
    ~Absence() {
      visit->lock_.lock();
      current = visit;
    }
    Absence(const Absence&) = delete;
    Absence& operator=(const Absence&) = delete;
    Visit* visit;
  };

  inline static thread_local Visit* current = nullptr;
  std::unique_lock<std::mutex> lock_;
  Visit* outer_;
};

}  // namespace compeer::plugin
