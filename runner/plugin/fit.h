#pragma once
#include <string>

#include "plugin/descriptor.h"

namespace compeer::plugin {

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
