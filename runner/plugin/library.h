#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "plugin/descriptor.h"

namespace compeer::plugin {

/// Which file to open: an entry of the list "plugins" of spec.json, or what Finder found.
struct Chosen {
  std::string kind, name;
  std::filesystem::path path;
  std::string sha256;  ///< what the file must hash to; empty: not compared
};

/// A plugin as messages name it.
struct Identity {
  std::string kind, name, version;
  std::filesystem::path path;
  std::string title() const { return kind + "/" + name + " " + version; }  ///< "rewards/length 1.0.0"
};

/// An open plugin library. It is checked first, then opened with all symbols bound at once and kept to itself
/// (rtld_now, rtld_local). Once open it stays in memory until the process ends, whatever happens to this object:
/// exceptions and autograd nodes made by its code may outlive it.
class Library {
 public:
  /// Throws Error (exit 5), before any of its code runs, if the file isn't the one chosen (SHA-256), isn't the kind
  /// `kind`, or was built for another plugin interface, libtorch or C++ ABI: both sides are named.
  Library(const Chosen& chosen, const std::string& kind);

  const Identity& identity() const { return identity_; }
  const Descriptor& descriptor() const { return descriptor_; }
  void* factory() const { return factory_; }  ///< behind the alias compeer_make

 private:
  Identity identity_;
  Descriptor descriptor_;
  std::shared_ptr<void> handle_;  // shared so that this header needn't know the type
  void* factory_ = nullptr;
};

/// A copy of a library in memory that nobody can change any more, as a file for the loader: what was hashed is what is
/// opened, whatever happens to the file meanwhile. It stays until the process ends, like the library; the same bytes
/// are the same file. Throws std::runtime_error if the system has no memory for it.
std::filesystem::path sealed_copy(const std::string& name, const std::string& bytes, const std::string& sha256);

}  // namespace compeer::plugin
