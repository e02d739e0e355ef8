// The base functions of scripts: pcall and xpcall that can't catch the end of a script, pairs in a fixed order, load.
#include <fmt/format.h>

#include <algorithm>
#include <climits>

#include "lua/counted.h"
#include "lua/edge.h"
#include "lua/libraries.h"

namespace compeer::lua {

namespace {

constexpr uint64_t exception_cost = 300;  // the cost of an error, in instructions

// pcall and xpcall: like Lua's own, but they don't catch the end of the script.

int finish_pcall(lua_State* L, int status, lua_KContext extra) {
  rethrow_if_halted(L, status);
  if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(L) - static_cast<int>(extra);
  spend(L, exception_cost);
  lua_pushboolean(L, 0);
  lua_insert(L, -2);
  return 2;
}

int protected_call(lua_State* L) {
  luaL_checkany(L, 1);
  lua_pushboolean(L, 1);
  lua_insert(L, 1);
  return finish_pcall(L, lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, finish_pcall), 0);
}

// Calls the script's message handler, unless the script is being ended: hooks don't run in message handlers.
int handle(lua_State* L) {
  if (sandbox(L).halted()) return 1;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

int protected_call_with_handler(lua_State* L) {
  luaL_checktype(L, 2, LUA_TFUNCTION);
  const int arguments = lua_gettop(L) - 2;
  lua_pushvalue(L, 2);
  lua_pushcclosure(L, handle, 1);
  lua_replace(L, 2);
  lua_pushboolean(L, 1);
  lua_pushvalue(L, 1);
  lua_rotate(L, 3, 2);  // stack: function, handler, true, function, arguments...
  return finish_pcall(L, lua_pcallk(L, arguments, LUA_MULTRET, 2, 2, finish_pcall), 2);
}

// The fixed order of keys: numbers, then strings bytewise, then false and true.

struct Key {
  enum Kind { number, text, boolean } kind;
  bool whole = false;
  lua_Integer integer = 0;
  lua_Number real = 0;
  std::string_view bytes;    // of a string that is referenced from the Lua stack
  lua_Integer position = 0;  // position in the table's own order, from 1

  long double value() const {  // represents every integer and every float exactly
    return whole ? static_cast<long double>(integer) : static_cast<long double>(real);
  }
  bool operator<(const Key& other) const {
    if (kind != other.kind) return kind < other.kind;
    if (kind == text) return bytes < other.bytes;
    return kind == number ? value() < other.value() : integer < other.integer;
  }
};

Key key_at(lua_State* L, int index) {
  switch (lua_type(L, index)) {
    case LUA_TNUMBER:
      if (lua_isinteger(L, index)) return {Key::number, true, lua_tointeger(L, index), 0, {}, 0};
      return {Key::number, false, 0, lua_tonumber(L, index), {}, 0};
    case LUA_TSTRING: {
      size_t length = 0;
      const char* text = lua_tolstring(L, index, &length);
      return {Key::text, false, 0, 0, {text, length}, 0};
    }
    case LUA_TBOOLEAN:
      return {Key::boolean, true, lua_toboolean(L, index), 0, {}, 0};
    default:
      throw Error("", fmt::format("a table with a {} as a key has no fixed order", luaL_typename(L, index)),
                  "use numbers or strings as keys, or ipairs over a list");
  }
}

int next_pair(lua_State* L) {
  for (;;) {
    const lua_Integer i = lua_tointeger(L, lua_upvalueindex(3)) + 1;
    lua_pushinteger(L, i);
    lua_replace(L, lua_upvalueindex(3));
    if (lua_rawgeti(L, lua_upvalueindex(2), i) == LUA_TNIL) return 1;
    lua_pushvalue(L, -1);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) return 2;
    lua_pop(L, 2);  // removed since the loop began
  }
}

// Pushes a list of the keys of the table at index 1, in order. The list references the keys from the beginning: a table
// with weak values may lose fields at any time, and with them the strings that were their keys.
void push_ordered_keys(lua_State* L) {
  CountedVector<Key> keys{CountingAllocator<Key>(L)};
  lua_createtable(L, static_cast<int>(std::min<lua_Unsigned>(lua_rawlen(L, 1), INT_MAX)), 0);
  const int met = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
    keys.push_back(key_at(L, -2));
    keys.back().position = static_cast<lua_Integer>(keys.size());
    lua_pushvalue(L, -2);
    lua_rawseti(L, met, keys.back().position);
  }
  spend(L, keys.size());
  if (std::is_sorted(keys.begin(), keys.end())) return;
  std::sort(keys.begin(), keys.end());
  lua_createtable(L, static_cast<int>(keys.size()), 0);
  for (size_t i = 0; i < keys.size(); ++i) {
    lua_rawgeti(L, met, keys[i].position);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  lua_remove(L, met);
}

int ordered_pairs(lua_State* L) {
  if (luaL_getmetafield(L, 1, "__pairs") != LUA_TNIL) {
    lua_pushvalue(L, 1);
    lua_call(L, 1, 3);
    return 3;
  }
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_pushvalue(L, 1);
  push_ordered_keys(L);
  lua_pushinteger(L, 0);
  lua_pushcclosure(L, next_pair, 3);
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  return 3;
}

// Returns the smallest key after the given one, in the order of pairs.
int ordered_next(lua_State* L) {
  constexpr int given = 2, best_at = 3;
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, given);
  lua_pushnil(L);
  const bool first = lua_isnil(L, given);
  const Key after = first ? Key{} : key_at(L, given);
  Key best{};
  bool found = false;
  uint64_t seen = 0;
  for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
    ++seen;
    const Key key = key_at(L, -2);
    if ((!first && !(after < key)) || (found && !(key < best))) continue;
    best = key, found = true;
    lua_pushvalue(L, -2);
    lua_replace(L, best_at);
  }
  spend(L, seen);
  if (!found) return lua_pushnil(L), 1;
  lua_pushvalue(L, best_at);
  lua_rawget(L, 1);
  return 2;
}

int print(lua_State* L) {
  CountedText line{CountingAllocator<char>(L)};
  for (int i = 1, n = lua_gettop(L); i <= n; ++i) {
    if (i > 1) line += '\t';
    line += push_text(L, i);
    lua_pop(L, 1);
  }
  line += '\n';
  spend(L, 1000 + line.size());
  sandbox(L).print(line);
  return 0;
}

int to_string(lua_State* L) {
  luaL_checkany(L, 1);
  push_text(L, 1);
  return 1;
}

// Refuses __gc, because the limits don't apply within finalizers.
int set_metatable(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_argexpected(L, lua_isnoneornil(L, 2) || lua_istable(L, 2), 2, "nil or table");
  if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL) throw Error("", "cannot change a protected metatable");
  lua_settop(L, 2);
  if (lua_istable(L, 2)) {
    lua_pushliteral(L, "__gc");
    if (lua_rawget(L, 2) != LUA_TNIL) throw Error("", "a script's tables can't have '__gc'", "use '<close>' variables");
    lua_pop(L, 1);
  }
  lua_setmetatable(L, 1);
  return 1;
}

// load(text or function, name, mode, env): text only; env defaults to the script's globals.
int load_text(lua_State* L) {
  lua_settop(L, 4);
  CountedText text{CountingAllocator<char>(L)};
  if (lua_isfunction(L, 1)) {
    for (;;) {
      lua_pushvalue(L, 1);
      lua_call(L, 0, 1);
      if (lua_isnil(L, -1)) break;
      if (lua_type(L, -1) != LUA_TSTRING) throw Error("", "the function passed to 'load' must return strings");
      const auto piece = check_text(L, -1);
      if (piece.empty()) break;
      text += piece;
      spend(L, 100 + piece.size());
      lua_pop(L, 1);
    }
  } else {
    text = check_text(L, 1);
  }
  spend(L, text.size());
  const std::string name = std::string("=") + luaL_optstring(L, 2, "load");
  if (luaL_loadbufferx(L, text.data(), text.size(), name.c_str(), "t") != LUA_OK) {
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
  }
  if (!lua_isnil(L, 4)) {
    lua_pushvalue(L, 4);
    if (!lua_setupvalue(L, -2, 1)) lua_pop(L, 1);
  }
  return 1;
}

}  // namespace

void rethrow_if_halted(lua_State* L, int status) {
  if (sandbox(L).halted()) raise_halt(L);
  if (status == LUA_ERRMEM) halt(L, memory_error(L));
}

Error memory_error(lua_State* L) {
  const auto& where = sandbox(L).refused();
  const auto line = excerpt(sandbox(L), where);
  return Error(where, "the script needs " + sandbox(L).budget().memory_text() + (line.empty() ? "" : "\n" + line),
               sandbox(L).setup().memory_help);
}

void open_base(lua_State* L) {
  const char* const kept[] = {"assert", "error",  "getmetatable", "ipairs", "rawequal", "rawget", "rawlen",
                              "rawset", "select", "tonumber",     "type",   "_VERSION", nullptr};
  copy_functions(L, luaopen_base, kept);
  const luaL_Reg own[] = {{"load", bound<load_text>},
                          {"next", bound<ordered_next>},
                          {"pairs", bound<ordered_pairs>},
                          {"pcall", bound<protected_call>},
                          {"print", bound<print>},
                          {"setmetatable", bound<set_metatable>},
                          {"tostring", bound<to_string>},
                          {"xpcall", bound<protected_call_with_handler>},
                          {nullptr, nullptr}};
  luaL_setfuncs(L, own, 0);
}

}  // namespace compeer::lua
