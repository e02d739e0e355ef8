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

/// Conversion of errors between Lua and C++. Lua is compiled as C++, so its errors unwind C++ frames and run
/// destructors. An exception, however, must be turned into a Lua error before it reaches a Lua frame, or its text is
/// lost.

namespace compeer::lua {

/// Returns the sandbox that a state or coroutine belongs to.
Sandbox& sandbox(lua_State* L);

/// Throws `error` as a Lua error that keeps all its fields through pcall and rethrow. If it has no place, it gets the
/// script's current line.
[[noreturn]] void raise(lua_State* L, const Error& error);

/// Ends the script with this error, which pcall can't catch.
[[noreturn]] void halt(lua_State* L, const Error& error);

/// Rethrows the end of a script that was halted.
[[noreturn]] void raise_halt(lua_State* L);

/// Ends a script that exceeds its memory limit.
[[noreturn]] void halt_for_memory(lua_State* L);

/// Wraps a C++ function for Lua: exceptions become Lua errors. Every function that is registered with Lua must be
/// wrapped.
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

/// Counts work done in C++ as instructions. Halts the script when its budget is exhausted.
void spend(lua_State* L, uint64_t instructions);

/// Counts memory that C++ holds for the script (counted.h). Halts the script if this exceeds its limit.
void charge_memory(lua_State* L, size_t bytes);

/// Returns the line being executed, "scripts/x.lua:12", or "" outside of scripts.
std::string position(lua_State* L);

/// Returns the error value at `index` as an Error, whatever its type (our own, a text, a table). Never runs script
/// code.
Error error_at(lua_State* L, int index);

/// Message handler for lua_pcall: replaces the error value on top of the stack with one of ours whose text has the
/// source line and the call stack.
int trace_error(lua_State* L);

/// Returns the source line at `where`, "x.lua:12", formatted for messages ("    12 | foo()"); "" if it is not in a
/// script.
std::string excerpt(const Sandbox& sandbox, const std::string& where);

/// Like luaL_tolstring, but never shows an address: pushes the text and returns it.
std::string_view push_text(lua_State* L, int index);

/// Returns the argument as text. Raises a Lua error if it is neither a string nor a number.
std::string_view check_text(lua_State* L, int argument);

/// Registers the type of our error values.
void open_errors(lua_State* L);

/// A C++ value as opaque Lua userdata. Its size counts towards the script's memory.
template <typename T>
struct Boxed {
  T value;
  size_t size;
};

/// The finalizer of Boxed<T>.
template <typename T>
int collect_boxed(lua_State* L) {
  auto* boxed = static_cast<Boxed<T>*>(lua_touserdata(L, 1));
  sandbox(L).budget().release(boxed->size);
  boxed->~Boxed<T>();
  return 0;
}

/// Pushes `value` with the metatable `type`. `size` is its memory beyond the userdata itself, in bytes.
template <typename T>
void push_boxed(lua_State* L, const char* type, T value, size_t size) {
  charge_memory(L, size);
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

/// Returns the value at `index`. Raises a Lua error if it is of another type.
template <typename T>
T& check_boxed(lua_State* L, int index, const char* type) {
  return static_cast<Boxed<T>*>(luaL_checkudata(L, index, type))->value;
}

/// Returns the value at `index`, or nullptr if it is of another type.
template <typename T>
T* test_boxed(lua_State* L, int index, const char* type) {
  auto* boxed = static_cast<Boxed<T>*>(luaL_testudata(L, index, type));
  return boxed ? &boxed->value : nullptr;
}

/// Creates the metatable of a boxed type: protected from scripts, with a finalizer, `__name` and these functions.
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
