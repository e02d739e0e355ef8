#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "spec/schema.h"

namespace compeer::plugin {

/// Maximum size of a library file, in bytes.
constexpr uint64_t largest_library = uint64_t{4} << 30;

/// Returns the plugin kinds. They are also the names of their folders, and the first part of `rewards/length`.
const std::vector<std::string>& kinds();

/// A plugin's description of itself (COMPEER_PLUGIN in sdk/compeer/plugin.h): JSON in the ELF section `.compeer`.
struct Descriptor {
  int64_t interface = 0;             ///< interface version of its kind at build time
  int64_t host = 0;                  ///< version of the host's interface at build time
  std::string kind, name;            ///< equal those of the file <folder>/<kind>/<name>.so
  std::string version;               ///< version of the plugin itself
  std::string torch;                 ///< version of libtorch at build time, "2.11.0"; empty: built without it
  int64_t cxx_abi = 0;               ///< _GLIBCXX_USE_CXX11_ABI
  std::string compiler;              ///< __VERSION__; informational
  std::string summary;               ///< one line
  std::vector<std::string> columns;  ///< columns of a reward's scores; empty: they depend on its settings
  spec::Schema parameters;           ///< in the order of their declaration
};

/// Reads the descriptor from a library's bytes without running any of its code. Throws Error (exit 5), naming file and
/// cause, if `bytes` are not a library or truncated, if there is no descriptor or it is invalid, or if kind and name
/// differ from the path, <kind>/<name>.so. Interface, libtorch and C++ ABI are not checked (see `incompatibility`), so
/// that incompatible plugins can be inspected.
Descriptor read_descriptor(std::string_view bytes, const std::filesystem::path& file);

/// The same, reading the file; exit 1 on an I/O error.
Descriptor read_descriptor(const std::filesystem::path& file);

/// Returns the default settings of a plugin, with the defaults of nested tables filled in. Required settings are
/// missing.
spec::json defaults(const spec::Schema& parameters);

/// Versions that this program was built with. A plugin must have the same interface version of its kind, libtorch
/// version (if it uses libtorch) and _GLIBCXX_USE_CXX11_ABI, and at most the same host interface version.
int64_t interface_number(const std::string& kind);
int64_t host_interface_number();
std::string torch_version();
int64_t cxx_abi();

/// Returns why a plugin with this descriptor can't be loaded: "was built for plugin interface 8, this program has
/// interface 9"; "" if it can.
std::string incompatibility(const Descriptor& plugin);
/// Returns the remedy for an incompatibility.
std::string incompatibility_help(const Descriptor& plugin);

}  // namespace compeer::plugin
