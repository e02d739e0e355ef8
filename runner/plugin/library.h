#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "plugin/descriptor.h"

namespace compeer::plugin {

/// The library file to open: an entry of the list "plugins" in spec.json, or a result of Finder.
struct PluginFile {
  std::string kind, name;
  std::filesystem::path path;
  std::string sha256;  ///< expected SHA-256 of the file; empty: not checked
};

/// A plugin's name, version and file, for messages.
struct Identity {
  std::string kind, name, version;
  std::filesystem::path path;
  std::string title() const { return kind + "/" + name + " " + version; }  ///< "rewards/length 1.0.0"
};

/// A loaded plugin library. Validated before loading, then opened with RTLD_NOW | RTLD_LOCAL and never unloaded, even
/// after this object is destroyed: exceptions and autograd nodes created by its code may outlive it.
class Library {
 public:
  /// Throws Error (exit 5) before any code of the library runs if its SHA-256 differs from `chosen`, an allow list does
  /// not contain it, it is not of the kind `kind`, or it was built for another plugin interface, libtorch or C++ ABI.
  /// Also throws, after static initializers have run, if loading fails, changes the caller's state (except the denormal
  /// mode, which is restored), or if the library exports no factory. Exit 1 on an I/O error.
  Library(const PluginFile& chosen, const std::string& kind);

  const Identity& identity() const { return identity_; }
  const Descriptor& descriptor() const { return descriptor_; }
  void* factory() const { return factory_; }  ///< address of the exported symbol `compeer_make`

 private:
  Identity identity_;
  Descriptor descriptor_;
  std::shared_ptr<void> handle_;  // type-erased, so that this header does not need Boost.DLL
  void* factory_ = nullptr;
};

/// Returns the path of an immutable in-memory copy of a library (a sealed memfd), so that the loaded bytes are the
/// hashed ones even if the file is replaced meanwhile. The copy exists until the process ends; equal bytes share one
/// copy. Throws std::runtime_error if it can't be created.
std::filesystem::path sealed_copy(const std::string& name, const std::string& bytes, const std::string& sha256);

}  // namespace compeer::plugin
