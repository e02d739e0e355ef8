#pragma once
#include <map>
#include <string>
#include <vector>

#include "spec/draft.h"

struct lua_State;

namespace compeer::script {

/// Converts the Lua table at `index` to changes of a draft, with the line being executed as their origin. The keys of
/// the table itself may be dotted paths: ["grpo.lr"] = 1e-4. Throws Error (exit 3) if the value is no table with names.
std::vector<spec::Change> to_changes(lua_State* L, int index);

/// Returns the origin of each key of the table literal in the call being executed: "grpo.lr" -> "scripts/x.lua:9".
/// Empty if the call has no table literal (see `key_lines`).
std::map<std::string, std::string> written_origins(lua_State* L);

/// Replaces origins in the draft that are the line of the call being executed by the lines in `written`, which
/// `written_origins` returned.
void refine_origins(lua_State* L, spec::Draft& draft, const std::map<std::string, std::string>& written);

/// Finds the first call of `with`, `experiment` or `sweep` on or after `line` and returns the line of each key of its
/// table literal. Needed because Lua records only the line of a call. Keys are paths in the spec: "grpo.lr",
/// "rewards[0].weight". Empty if the argument is a variable.
std::map<std::string, int> key_lines(const std::string& source, int line);

}  // namespace compeer::script
