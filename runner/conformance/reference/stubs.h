#pragma once
#include <string>
#include <vector>

#include "plugin/search.h"

namespace compeer::conformance {

/// Declarations of the Lua module `compeer` for lua-language-server: the text of module.d.lua.
extern const char* const module_stubs;

/// Returns the text of compeer.d.lua: the module, every key of a spec, and the settings of these plugins, each with its
/// type, range, default and help. Leaves out unusable and shadowed plugins.
std::string lua_stubs(const std::vector<plugin::Found>& plugins);

}  // namespace compeer::conformance
