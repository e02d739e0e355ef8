#pragma once
#include <map>
#include <string>
#include <vector>

#include "spec/draft.h"

struct lua_State;

// Lua tables as changes of a draft (the settings of a run as the user wrote them), each with its *origin*: the script
// line "scripts/x.lua:9" that error messages name. Lua records only the line of a call, so the line of each key of a
// table that spans several lines is found in the source text.

namespace compeer::script {

/// Converts the Lua table at stack index `index` to changes of a draft, with the line being executed as their origin.
/// The keys of the outermost table may be dotted paths: ["grpo.lr"] = 1e-4. Throws Error (exit code 3: mistake in a
/// spec or script) if the value is not a table with string keys.
std::vector<spec::Change> to_changes(lua_State* L, int index);

/// Returns the path of each key of the table literal in the Lua call being executed -> its origin: "grpo.lr" ->
/// "scripts/x.lua:9". Empty if the argument is not a table literal.
std::map<std::string, std::string> written_origins(lua_State* L);

/// Replaces those origins in the draft that are the line of the call being executed by the more precise ones in
/// `written`, the result of `written_origins` in the same call.
void refine_origins(lua_State* L, spec::Draft& draft, const std::map<std::string, std::string>& written);

/// Finds, in the Lua text `source`, the first call of `with`, `experiment` or `sweep` on or after `line` (from 1) and
/// returns the path of each key of its table literal ("grpo.lr", "rewards[0].weight") -> the key's line. Empty if the
/// argument is a variable.
std::map<std::string, int> key_lines(const std::string& source, int line);

}  // namespace compeer::script
