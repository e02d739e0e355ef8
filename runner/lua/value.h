#pragma once
#include <string>

#include "spec/schema.h"

struct lua_State;

// Conversion between Lua values and JSON: settings that scripts write, and settings and results that scripts read.

namespace compeer::lua {

/// Converts the Lua value at stack index `index` to JSON: strings, numbers (integers stay integers), booleans, lists,
/// tables with string keys; {} becomes an empty object. Throws Error naming the key for anything else: functions, NaN,
/// recursive tables, lists with holes, text that is not UTF-8. `key` is the dotted path of the value among the settings
/// ("grpo.lr"), for messages; "" if it is the outermost table.
spec::json to_json(lua_State* L, int index, const std::string& key);

/// Pushes a JSON value onto the stack as a Lua value; null becomes nil, arrays and objects become tables.
void push_json(lua_State* L, const spec::json& value);

}  // namespace compeer::lua
