#pragma once
#include <string>

#include "spec/schema.h"

struct lua_State;

namespace compeer::lua {

/// Converts the Lua value at `index` to JSON: strings, numbers (integers stay integers), booleans, lists, tables with
/// string keys. Throws Error naming the key for anything else: functions, NaN, recursive tables, lists with holes, text
/// that is not UTF-8. `key` is the path of the value in the spec, for messages.
spec::json to_json(lua_State* L, int index, const std::string& key);

/// Pushes a JSON value; null becomes nil.
void push_json(lua_State* L, const spec::json& value);

}  // namespace compeer::lua
