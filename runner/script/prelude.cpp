#include "script/prelude.h"

#include <string>

#include "lua/libraries.h"
#include "script/module.h"

namespace compeer::script {

namespace {

// Replaces the library on top of the stack by a copy.
void copy_library(lua_State* L) {
  lua_newtable(L);
  for (lua_pushnil(L); lua_next(L, -3);) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -4);
  }
  lua_remove(L, -2);
}

// Pushes the globals of the prelude. To read a name that isn't there is an error, as in scripts.
void push_globals(lua_State* L) {
  lua_newtable(L);
  for (const char* name : {"ipairs", "math", "pairs", "print", "rawget", "rawlen", "rawset", "setmetatable", "string",
                           "table", "tostring", "type", "utf8"}) {
    if (lua_getglobal(L, name) == LUA_TTABLE) copy_library(L);
    lua_setfield(L, -2, name);
  }
  add_primitives(L);
  lua_pushboolean(L, actions(L).quick());
  lua_setfield(L, -2, "quick");
  lua_pushstring(L, actions(L).folder().c_str());
  lua_setfield(L, -2, "folder");
  make_strict(L, "the prelude");
}

}  // namespace

void open_prelude(lua_State* L) {
  push_globals(L);
  for (const auto& [name, text] : prelude_texts()) {
    if (luaL_loadbufferx(L, text.data(), text.size(), name, "t") != LUA_OK) lua_error(L);
    lua_pushvalue(L, -2);
    lua_setupvalue(L, -2, 1);
    lua_call(L, 0, 0);
  }
  lua_getfield(L, -1, "compeer");
  lua_remove(L, -2);
}

}  // namespace compeer::script
