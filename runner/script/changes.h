#pragma once
#include <map>
#include <string>
#include <vector>

#include "spec/draft.h"

struct lua_State;

namespace compeer::script {

/// The table at `index` as changes of a draft, with the line being run as their origin. The table's own keys may be
/// dotted paths: ["grpo.lr"] = 1e-4.
std::vector<spec::Change> to_changes(lua_State* L, int index);

/// The lines of the keys that are written out in the call being run, as origins: "grpo.lr" -> "scripts/x.lua:9".
std::map<std::string, std::string> written_origins(lua_State* L);

/// Gives what has come into the draft by this call the line it stands on.
void refine_origins(lua_State* L, spec::Draft& draft, const std::map<std::string, std::string>& written);

}  // namespace compeer::script
