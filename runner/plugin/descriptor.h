#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "spec/schema.h"

namespace compeer::plugin {

/// Larger files are not read.
constexpr uint64_t largest_library = uint64_t{4} << 30;

/// The kinds of plugin: also the folders they lie in and the last part of `rewards/length`.
const std::vector<std::string>& kinds();

/// What a plugin says about itself (COMPEER_PLUGIN in sdk/compeer/plugin.h): JSON in the ELF section `.compeer`.
struct Descriptor {
  int64_t interface = 0;             ///< the number of its kind's interface that it was built with
  int64_t host = 0;                  ///< the number of the host's interface that it was built with
  std::string kind, name;            ///< those of its file: <folder>/<kind>/<name>.so
  std::string version;               ///< the plugin's own
  std::string torch;                 ///< libtorch it was built with, "2.11.0"; empty: without one
  int64_t cxx_abi = 0;               ///< _GLIBCXX_USE_CXX11_ABI
  std::string compiler;              ///< __VERSION__; for people, not compared
  std::string summary;               ///< one line
  std::vector<std::string> columns;  ///< of a reward's scores; empty: they follow from its settings
  spec::Schema parameters;           ///< in the order of their declaration
};

/// Reads the descriptor out of a library's bytes without running any of its code. `file` must be <kind>/<name>.so
/// and the descriptor must say the same. Throws Error (exit 5) naming file and cause: not a library, cut off, no
/// descriptor, JSON that does not parse, a key missing or of the wrong type, another kind or name.
/// Interface, libtorch and C++ ABI are not judged here: a plugin this program can't run can still be inspected.
Descriptor read_descriptor(std::string_view bytes, const std::filesystem::path& file);

/// The same, reading the file.
Descriptor read_descriptor(const std::filesystem::path& file);

/// The settings of a plugin of which the user says nothing: every key that has a default, tables inside filled in.
spec::json defaults(const spec::Schema& parameters);

/// What this program was built with, and its plugins must have been: the number of a kind's interface, libtorch's
/// version (if they use it), _GLIBCXX_USE_CXX11_ABI. Of the host's interface they may have been built with a lower
/// number.
int64_t interface_number(const std::string& kind);
int64_t host_interface_number();
std::string torch_version();
int64_t cxx_abi();

/// Why a plugin that says this of itself can't be loaded: "was built for plugin interface 8, this program has interface
/// 9"; "" if it can, as far as a descriptor tells.
std::string misfit(const Descriptor& plugin);
/// What to do about it.
std::string misfit_help(const Descriptor& plugin);

}  // namespace compeer::plugin
