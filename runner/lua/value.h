#pragma once
#include <string>

#include "spec/schema.h"

struct lua_State;

namespace compeer::lua {

/// The Lua value at `index` as data: strings, numbers (integers stay integers), booleans, lists, tables with names.
/// Throws Error naming the key for anything else: functions, NaN, tables within themselves, lists with holes, text that
/// is no UTF-8. `key` is the path it will have in the spec.
spec::json to_json(lua_State* L, int index, const std::string& key);

/// null becomes nil.
void push_json(lua_State* L, const spec::json& value);

}  // namespace compeer::lua
