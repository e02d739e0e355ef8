#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "plugin/descriptor.h"

// Loading of a plugin's shared library, <folder>/<kind>/<name>.so, after checks that need no code of the library. The
// worker processes of a run and the checks of `compeer plugins check` load plugins; the front end does not.

namespace compeer::plugin {

/// A plugin library to open. Comes from the list "plugins" in the run's spec.json, or from a search for plugins.
struct PluginFile {
  std::string kind, name;      ///< as in "rewards/length"
  std::filesystem::path path;  ///< the library file
  std::string sha256;          ///< expected SHA-256 of the file; empty: not checked
};

/// A plugin's kind, name, version and file, for messages.
struct Identity {
  std::string kind, name, version;
  std::filesystem::path path;                                              ///< the library file
  std::string title() const { return kind + "/" + name + " " + version; }  ///< "rewards/length 1.0.0"
};

/// A loaded plugin library. Validated before loading, then opened with RTLD_NOW | RTLD_LOCAL and never unloaded, even
/// after this object is destroyed: exceptions and autograd nodes created by its code may outlive it.
class Library {
 public:
  /// Checks and loads the library. Throws Error (exit code 5: a plugin can't be used) before any code of the library
  /// runs if its SHA-256 differs from `chosen`, an active allow list does not contain it, it is not of the kind `kind`,
  /// or it was built for another plugin interface, libtorch or C++ ABI. Also throws, after static initializers have
  /// run, if loading fails, changes the caller's state such as the rounding mode (except the denormal mode, which is
  /// restored), or if the library exports no factory. Throws Error (exit code 1) on an I/O error.
  Library(const PluginFile& chosen, const std::string& kind);

  const Identity& identity() const { return identity_; }
  const Descriptor& descriptor() const { return descriptor_; }
  /// Returns the function that creates the plugin's object: the exported symbol `compeer_make`, to be cast to
  /// `std::unique_ptr<T> (*)(const Settings&, Host&)`, where T is the interface of the plugin's kind.
  void* factory() const { return factory_; }

 private:
  Identity identity_;
  Descriptor descriptor_;
  std::shared_ptr<void> handle_;  // the loaded library; type-erased, so that this header does not need Boost.DLL
  void* factory_ = nullptr;
};

/// Returns the path of an immutable in-memory copy (a sealed memfd) of a library with these bytes and this hash. With
/// active allow lists it is loaded in place of the file, so that the loaded bytes are the hashed ones even if the file
/// is replaced meanwhile. `name` is shown in /proc. The copy exists until the process ends; equal hashes share one
/// copy. Throws std::runtime_error if it can't be created.
std::filesystem::path sealed_copy(const std::string& name, const std::string& bytes, const std::string& sha256);

}  // namespace compeer::plugin
