#pragma once
#include <string>
#include <vector>

#include "plugin/search.h"

namespace compeer::contract {

/// Declarations of the module `compeer` for lua-language-server: module.d.lua.
extern const char* const module_stubs;

/// Returns the text of compeer.d.lua: the module, every key of a spec, and the settings of these plugins, each with its
/// type, range, default and help. Leaves out broken plugins.
std::string lua_stubs(const std::vector<plugin::Found>& plugins);

}  // namespace compeer::contract
