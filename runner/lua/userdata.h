#pragma once
#include <new>
#include <utility>

#include "lua/edge.h"

namespace compeer::lua {

/// A C++ value as a Lua value that scripts can't change or look into. Its size is counted as the script's memory.
template <typename T>
struct Boxed {
  T value;
  size_t size;
};

template <typename T>
int collect_boxed(lua_State* L) {
  auto* boxed = static_cast<Boxed<T>*>(lua_touserdata(L, 1));
  sandbox(L).budget().release(boxed->size);
  boxed->~Boxed<T>();
  return 0;
}

template <typename T>
void push_boxed(lua_State* L, const char* type, T value, size_t size) {
  hold(L, size);
  void* place = nullptr;
  try {
    place = lua_newuserdatauv(L, sizeof(Boxed<T>), 0);
  } catch (...) {
    sandbox(L).budget().release(size);
    throw;
  }
  new (place) Boxed<T>{std::move(value), size};
  luaL_setmetatable(L, type);
}

template <typename T>
T& check_boxed(lua_State* L, int index, const char* type) {
  return static_cast<Boxed<T>*>(luaL_checkudata(L, index, type))->value;
}

/// nullptr for a value of another type.
template <typename T>
T* test_boxed(lua_State* L, int index, const char* type) {
  auto* boxed = static_cast<Boxed<T>*>(luaL_testudata(L, index, type));
  return boxed ? &boxed->value : nullptr;
}

/// Makes the type's metatable: closed to scripts, with a finalizer, `__name` as in messages, and these functions.
template <typename T>
void open_boxed(lua_State* L, const char* type, const luaL_Reg* functions) {
  luaL_newmetatable(L, type);
  luaL_setfuncs(L, functions, 0);
  lua_pushcfunction(L, collect_boxed<T>);
  lua_setfield(L, -2, "__gc");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
}

}  // namespace compeer::lua
