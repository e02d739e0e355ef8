#pragma once
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "lua/sandbox.h"

/// The edge between Lua and C++. Lua is the C++ build, so its errors unwind C++ frames and run destructors; the other
/// way round an exception must be turned into a Lua error before it meets a Lua frame, or its text is lost.

namespace compeer::lua {

/// The sandbox a state (or any of its coroutines) belongs to.
Sandbox& sandbox(lua_State* L);

/// Throws as a Lua error that keeps all fields of `error`, through pcall and rethrow. Without a place of its own it
/// gets the script's current line.
[[noreturn]] void raise(lua_State* L, const Error& error);

/// Ends the script with this error, whatever it does: no pcall can hold it.
[[noreturn]] void halt(lua_State* L, const Error& error);

/// Goes on ending a script that was halted.
[[noreturn]] void raise_halt(lua_State* L);

/// Ends a script that wants more memory than it may have.
[[noreturn]] void halt_for_memory(lua_State* L);

/// The wrapper of every C++ function that Lua may call.
template <int (*Function)(lua_State*)>
int bound(lua_State* L) {
  std::string other;
  try {
    return Function(L);
  } catch (const Error& error) {
    raise(L, error);
  } catch (const std::bad_alloc&) {
    halt_for_memory(L);
  } catch (const std::exception& error) {
    other = error.what();
  }
  raise(L, Error("", other, "", Exit::failure));
}

/// Counts work done outside the Lua machine. Halts the script when its budget is used up.
void spend(lua_State* L, uint64_t instructions);

/// Counts memory that C++ holds for the script (counted.h). Halts the script if it may not have so much.
void hold(lua_State* L, size_t bytes);

/// "scripts/x.lua:12": the line being run, or "" outside of scripts.
std::string position(lua_State* L);

/// The error value at `index`: of ours, or a text or table of the script's. Never runs script code.
Error error_at(lua_State* L, int index);

/// Makes the error value on top of the stack one of ours that knows its way through the script; a message handler.
int trace_error(lua_State* L);

/// The text of the line `where` names ("    12 | foo()"), "" if it is in no script.
std::string excerpt(const Sandbox& sandbox, const std::string& where);

/// Like luaL_tolstring without addresses: pushes the text and returns it.
std::string_view push_text(lua_State* L, int index);

std::string_view check_text(lua_State* L, int argument);

/// Registers the type of our error values.
void open_errors(lua_State* L);

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
