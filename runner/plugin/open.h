#pragma once
#include <memory>
#include <stdexcept>
#include <utility>

#include "compeer/host.h"
#include "compeer/settings.h"
#include "plugin/guard.h"

namespace compeer::plugin {

/// Destroys a plugin's object. Nobody can be told of what its destructor leaves changed, so that is put back in
/// silence.
template <class T>
struct Ending {
  void operator()(T* object) const {
    const CallerState before;
    delete object;
    before.restore();
  }
};

/// An open plugin: the library first, the object second, so that code outlives what runs on it.
/// T is one of the SDK's interfaces (Dataset, Model, Reward, Reweighting, Similarity).
///
///   auto reward = open<Reward>(chosen, settings, std::make_unique<RunHost>(chosen, services));
///   reward.call("score", [&](Reward& r) { r.score(groups, scores); });
///
/// A plugin is called by one thread at a time; different plugins may be called by different threads at once.
/// For calls whose results are checked at the door (shape, type, finite numbers) see plugin/calls.h.
template <class T>
class Plugin {
 public:
  Plugin(Library library, std::unique_ptr<Host> host, std::unique_ptr<T> object)
      : library_(std::move(library)), host_(std::move(host)), object_(object.release()) {}

  /// f(T&), guarded: all it throws becomes an Error naming this plugin and `method`.
  template <class F>
  decltype(auto) call(const char* method, F&& f) {
    return guard(identity(), method, [&]() -> decltype(auto) { return std::forward<F>(f)(*object_); });
  }

  /// The object without the guard, for what is handed on by reference (a Model to the engine). Whoever calls it
  /// stands within `call` or `guard`.
  T& object() { return *object_; }

  const Identity& identity() const { return library_.identity(); }
  const Descriptor& descriptor() const { return library_.descriptor(); }

 private:
  Library library_;
  std::unique_ptr<Host> host_;  // what the object was given a reference to
  std::unique_ptr<T, Ending<T>> object_;
};

/// An interface that a plugin may implement beside that of its kind. Throws std::runtime_error(otherwise) if it
/// doesn't: call it within `call` or `guard`.
template <class Optional, class T>
Optional& optional_interface(T& object, const char* otherwise) {
  if (auto* const found = dynamic_cast<Optional*>(&object)) return *found;
  throw std::runtime_error(otherwise);
}

/// Checks and opens the library, then makes the object from its settings, every key of its descriptor present.
/// Throws Error (exit 5) naming plugin, file and cause.
template <class T>
Plugin<T> open(const Chosen& chosen, const Settings& settings, std::unique_ptr<Host> host) {
  using Factory = std::unique_ptr<T> (*)(const Settings&, Host&);
  Library library(chosen, T::kind);
  auto object =
      guard(library.identity(), "make", [&] { return reinterpret_cast<Factory>(library.factory())(settings, *host); });
  if (!object) refuse(library.identity(), "make", "returned nothing");
  return Plugin<T>(std::move(library), std::move(host), std::move(object));
}

}  // namespace compeer::plugin
