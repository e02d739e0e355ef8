#pragma once
#include <lua.h>

#include <map>
#include <string>
#include <vector>

#include "spec/draft.h"

namespace compeer::script {

/// The Lua value at `index` as data: strings, numbers (integers stay integers), booleans, lists, tables with names.
/// Throws Error naming the key for anything else: functions, NaN, tables within themselves, lists with holes, text that
/// is no UTF-8. `key` is the path it will have in the spec.
spec::json to_json(lua_State* L, int index, const std::string& key);

/// null becomes nil.
void push_json(lua_State* L, const spec::json& value);

/// The table at `index` as changes of a draft, with the line being run as their origin. The table's own keys may be
/// dotted paths: ["grpo.lr"] = 1e-4.
std::vector<spec::Change> to_changes(lua_State* L, int index);

/// The lines of the keys that are written out in the call being run, as origins: "grpo.lr" -> "scripts/x.lua:9".
std::map<std::string, std::string> written_origins(lua_State* L);

/// Gives what has come into the draft by this call the line it stands on.
void refine_origins(lua_State* L, spec::Draft& draft, const std::map<std::string, std::string>& written);

}  // namespace compeer::script
