#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "spec/schema.h"

// A plugin is a shared library <folder>/<kind>/<name>.so that describes itself in a *descriptor*. The programs read
// descriptors to list plugins, to check a run's settings and to refuse incompatible libraries, all without running any
// code of the library.

namespace compeer::plugin {

/// Maximum size of a library file, in bytes.
constexpr uint64_t largest_library = uint64_t{4} << 30;

/// Returns the plugin kinds: "datasets", "models", "rewards", "reweighting", "similarity", "chat", "stages". They are
/// also the names of their folders, and the first part of a plugin's title such as "rewards/length".
const std::vector<std::string>& kinds();

/// A plugin's description of itself, which the macro COMPEER_PLUGIN stores as JSON in the ELF section `.compeer` of the
/// library.
struct Descriptor {
  int64_t interface = 0;             ///< version of the SDK's interface of this kind at build time
  int64_t host = 0;                  ///< version of the SDK's class Host (services for plugins) at build time
  std::string kind, name;            ///< equal those in the file's path <folder>/<kind>/<name>.so
  std::string version;               ///< version of the plugin itself
  std::string torch;                 ///< version of libtorch at build time, "2.11.0"; empty: built without it
  int64_t cxx_abi = 0;               ///< value of _GLIBCXX_USE_CXX11_ABI at build time
  std::string compiler;              ///< text of the macro __VERSION__ at build time; informational
  std::string summary;               ///< one line that describes the plugin to users
  std::vector<std::string> columns;  ///< names of the columns of a reward's scores; empty: they depend on its settings
  spec::Schema parameters;           ///< the plugin's settings, in the order of their declaration
};

/// Reads the descriptor from `bytes`, the contents of the library `file`, without running any of its code. Throws Error
/// (exit code 5: not a usable plugin), naming file and cause, if `bytes` are truncated or not a library, if there is no
/// descriptor or it is invalid, or if kind and name differ from the path, <kind>/<name>.so. Interface, libtorch and C++
/// ABI are not compared with this program's (`incompatibility` does that), so that incompatible plugins can be
/// inspected.
Descriptor read_descriptor(std::string_view bytes, const std::filesystem::path& file);

/// The same, reading the file. Throws Error (exit code 1) on an I/O error.
Descriptor read_descriptor(const std::filesystem::path& file);

/// Returns the default settings of a plugin as a JSON object, with the defaults of nested tables filled in. Settings
/// without a default (required ones) are missing.
spec::json defaults(const spec::Schema& parameters);

// Versions that this program was built with. A plugin must have the same interface version of its kind, libtorch
// version (if it uses libtorch) and _GLIBCXX_USE_CXX11_ABI, and at most the same host interface version.

/// Returns the interface version of a plugin kind. Throws std::out_of_range for an unknown kind.
int64_t interface_number(const std::string& kind);
/// Returns the version of the SDK's class Host.
int64_t host_interface_number();
/// Returns the version of libtorch: "2.11.0".
std::string torch_version();
/// Returns the value of _GLIBCXX_USE_CXX11_ABI.
int64_t cxx_abi();

/// Returns why this program can't load a plugin with this descriptor: "was built for plugin interface 8, this program
/// has interface 9"; "" if it can.
std::string incompatibility(const Descriptor& plugin);
/// Returns the remedy for the incompatibility that `incompatibility` reports, as help for the user.
std::string incompatibility_help(const Descriptor& plugin);

}  // namespace compeer::plugin
