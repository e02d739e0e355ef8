#pragma once
#include <functional>

#include "base/error.h"
#include "plugin/library.h"

namespace compeer::plugin {

/// Call within a catch block: turns whatever is being thrown (std::exception, c10::Error, an int, anything) into an
/// Error that names the plugin, its version, its file, the method and the cause. Exit 5; a compeer::Error keeps its
/// own exit code, so a dataset that finds its file damaged still ends the run with 4.
[[noreturn]] void rethrow(const Identity& identity, const char* method);

/// What a plugin did wrong that it didn't throw: the same Error, from `what` and `help`.
[[noreturn]] void refuse(const Identity& identity, const char* method, const std::string& what,
                         const std::string& help = "");

/// The one way by which the runner calls into plugins.
template <class F>
decltype(auto) guard(const Identity& identity, const char* method, F&& f) {
  try {
    return std::invoke(std::forward<F>(f));
  } catch (...) {
    rethrow(identity, method);
  }
}

}  // namespace compeer::plugin
