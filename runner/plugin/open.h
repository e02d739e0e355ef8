#pragma once
#include <memory>
#include <stdexcept>
#include <utility>

#include "compeer/host.h"
#include "compeer/settings.h"
#include "plugin/guard.h"

namespace compeer::plugin {

/// Destroys a plugin's object. Restores the caller's state silently, because a destructor can't report an error.
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
/// A plugin may be called by one thread at a time; different plugins may be called concurrently. See plugin/calls.h for
/// calls with checked results (shapes, types, finite numbers).
template <class T>
class Plugin {
 public:
  Plugin(Library library, std::unique_ptr<Host> host, std::unique_ptr<T> object)
      : library_(std::move(library)), host_(std::move(host)), object_(object.release()) {}

  /// Calls f(T&), guarded, and returns its result. Any exception becomes an Error that names this plugin and `method`.
  template <class F>
  decltype(auto) call(const char* method, F&& f) {
    return guard(identity(), method, [&]() -> decltype(auto) { return std::forward<F>(f)(*object_); });
  }

  /// Returns the object itself, for passing it on by reference (a Model to the engine). Calls of it must be made within
  /// `call` or `guard`.
  T& object() { return *object_; }

  const Identity& identity() const { return library_.identity(); }
  const Descriptor& descriptor() const { return library_.descriptor(); }

 private:
  Library library_;
  std::unique_ptr<Host> host_;  // referenced by the object
  std::unique_ptr<T, Ending<T>> object_;
};

/// Returns the optional interface of a plugin's object. Throws std::runtime_error(otherwise) if the object does not
/// implement it: call this within `call` or `guard`.
template <class Optional, class T>
Optional& optional_interface(T& object, const char* otherwise) {
  if (auto* const found = dynamic_cast<Optional*>(&object)) return *found;
  throw std::runtime_error(otherwise);
}

/// Checks and opens the library, then creates the plugin's object from its settings, which must contain every key of
/// the descriptor. Throws Error (exit 5) naming plugin, file and cause.
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
