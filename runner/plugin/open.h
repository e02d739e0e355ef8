#pragma once
#include <memory>
#include <stdexcept>
#include <utility>

#include "compeer/host.h"
#include "compeer/settings.h"
#include "plugin/guard.h"

// Opening a plugin (a shared library with one class that implements an interface of the SDK) and calling its object.

namespace compeer::plugin {

/// Deleter for a plugin's object. Restores thread and process state that the plugin's destructor changes (rounding
/// mode, current folder and the like) without an error, because a deleter can't throw.
template <class T>
struct Ending {
  void operator()(T* object) const {
    const ThreadStateGuard before;
    delete object;
    before.restore();
  }
};

/// An open plugin: its library, its host and its object, which is destroyed first. T is one of the SDK's interfaces
/// (Dataset, Model, Reward, Reweighting, Similarity, ChatModel, Stage).
///
///   auto reward = open<Reward>(chosen, settings, std::make_unique<RunHost>(chosen, services));
///   auto scores = reward.call("score", [&](Reward& r) { return r.score_all(groups); });
///
/// A plugin may be called by one thread at a time; different plugins may be called concurrently. Results are not
/// checked; the functions in plugin/calls.h call and check shapes and finite numbers.
template <class T>
class Plugin {
 public:
  /// For `open`. Takes ownership. `object` was created by the library's factory with `host`.
  Plugin(Library library, std::unique_ptr<Host> host, std::unique_ptr<T> object)
      : library_(std::move(library)), host_(std::move(host)), object_(object.release()) {}

  /// Calls f(object) and returns its result. `f` calls the plugin's method named `method`. Any exception becomes a
  /// PluginError that names this plugin and method; state of the thread and process that the call changed is restored
  /// and is a PluginError, too.
  template <class F>
  decltype(auto) call(const char* method, F&& f) {
    return guard(identity(), method, [&]() -> decltype(auto) { return std::forward<F>(f)(*object_); });
  }

  /// Returns the object itself, for code that needs a reference to it, such as the engine that runs a Model. That code
  /// must call it within `call` or `guard`.
  T& object() { return *object_; }

  const Identity& identity() const { return library_.identity(); }
  const Descriptor& descriptor() const { return library_.descriptor(); }

 private:
  Library library_;
  std::unique_ptr<Host> host_;  // the services of the object, which refers to it
  std::unique_ptr<T, Ending<T>> object_;
};

/// Returns the plugin's object as an optional interface of the SDK, such as VisionModel of a Model. Throws
/// std::runtime_error with the text `otherwise` if the object does not implement it. To be called within `Plugin::call`
/// or `guard`, which turn that into an error that names the plugin.
template <class Optional, class T>
Optional& optional_interface(T& object, const char* otherwise) {
  if (auto* const found = dynamic_cast<Optional*>(&object)) return *found;
  throw std::runtime_error(otherwise);
}

/// Checks and loads the library, then creates the plugin's object with its settings, which must contain every parameter
/// of its descriptor (see `whole_settings`), and its host. Throws Error (exit code 5: the plugin can't be used, or the
/// code that its constructor threw) naming plugin, file and cause.
template <class T>
Plugin<T> open(const PluginFile& chosen, const Settings& settings, std::unique_ptr<Host> host) {
  using Factory = std::unique_ptr<T> (*)(const Settings&, Host&);
  Library library(chosen, T::kind);
  auto object =
      guard(library.identity(), "make", [&] { return reinterpret_cast<Factory>(library.factory())(settings, *host); });
  if (!object) refuse(library.identity(), "make", "returned nothing");
  return Plugin<T>(std::move(library), std::move(host), std::move(object));
}

}  // namespace compeer::plugin
