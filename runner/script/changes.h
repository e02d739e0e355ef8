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

/// On which line each key of a table stands that is written out in a call of `with`, `experiment` or `sweep` on or
/// after `line`. Lua itself knows only the line of the call. Paths are those of the spec: "grpo.lr",
/// "rewards[0].weight". Nothing if the call is given a variable.
std::map<std::string, int> key_lines(const std::string& source, int line);

}  // namespace compeer::script
