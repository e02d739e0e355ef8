#pragma once
#include <string>
#include <vector>

#include "plugin/search.h"

// `compeer plugins stubs` writes a file of declarations, compeer.d.lua, with which editors (lua-language-server)
// complete and check experiment scripts.

namespace compeer::conformance {

/// The constant part of that file: the functions of the Lua module `compeer`. Generated from module.d.lua by the build.
extern const char* const module_stubs;

/// Returns the complete text of compeer.d.lua: `module_stubs`, every key of a spec (the settings of a run), and the
/// settings of these plugins, each with its type, range, default and help. Leaves out plugins that can't be used or
/// that an earlier folder of the search path replaces.
std::string lua_stubs(const std::vector<plugin::Found>& plugins);

}  // namespace compeer::conformance
