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

// Tools for C++ functions that Lua scripts call: errors that cross between Lua and C++, resource limits, and C++
// objects as Lua values.
//
// Lua is compiled as C++, so its errors unwind C++ frames and run destructors. An exception, however, must be turned
// into a Lua error before it reaches a Lua frame, or its text is lost. *Error values* are Lua values that contain an
// Error with all its fields. To *halt* a script means to end it with an error that pcall can't catch. `L` is the Lua
// state or coroutine that runs, `index` an index into its stack.

namespace compeer::lua {

/// Returns the sandbox that a state or coroutine belongs to.
Sandbox& sandbox(lua_State* L);

/// Throws `error` as a Lua error that keeps all its fields through pcall and rethrow. If its `where` is empty, it gets
/// the script's current line.
[[noreturn]] void raise(lua_State* L, const Error& error);

/// Halts the script with `error`, to which the source line and the call stack are added.
[[noreturn]] void halt(lua_State* L, const Error& error);

/// Unwinds a script that was halted before: raises the Lua error that ends it.
[[noreturn]] void raise_halt(lua_State* L);

/// Halts a script because it exceeds its memory limit.
[[noreturn]] void halt_for_memory(lua_State* L);

/// Wraps a C++ function for Lua (a lua_CFunction): exceptions become Lua errors; std::bad_alloc halts the script. Every
/// function that is registered with Lua must be wrapped.
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

/// Counts work done in C++ as `instructions` Lua instructions. Halts the script when its limit of instructions or of
/// CPU time is exceeded.
void spend(lua_State* L, uint64_t instructions);

/// Counts memory that C++ holds for the script; Budget::release undoes it. Halts the script if it exceeds its limit,
/// even after garbage collection.
void charge_memory(lua_State* L, size_t bytes);

/// Returns the script line being executed, "scripts/x.lua:12", or "" outside of scripts.
std::string position(lua_State* L);

/// Returns the value at `index`, which was raised as an error, as an Error, whatever its type (an error value, a string
/// with or without a source line, a table). Never runs script code.
Error error_at(lua_State* L, int index);

/// Message handler for lua_pcall: replaces the value on top of the stack with an error value whose text has the source
/// line and the call stack.
int trace_error(lua_State* L);

/// Returns the text of the source line `where` ("scripts/x.lua:12") for a message, "   12 | foo()"; "" if it is not a
/// line of a script of the sandbox.
std::string excerpt(const Sandbox& sandbox, const std::string& where);

/// Converts the value at `index` to text like luaL_tolstring, but without addresses: pushes the text onto the stack and
/// returns it. The result is valid while it is on the stack.
std::string_view push_text(lua_State* L, int index);

/// Returns the function's argument number `argument` (from 1) as text, valid while it is on the stack. Raises a Lua
/// error if it is neither a string nor a number.
std::string_view check_text(lua_State* L, int argument);

/// Registers the Lua type of error values: fields where, what, help, exit.
void open_errors(lua_State* L);

/// A C++ value as opaque Lua userdata. `size`, its memory beyond the userdata itself in bytes, counts towards the
/// script's memory until Lua collects the value.
template <typename T>
struct Boxed {
  T value;
  size_t size;
};

/// The finalizer of Boxed<T>, the metamethod `__gc`: releases the counted memory and destroys the value.
template <typename T>
int collect_boxed(lua_State* L) {
  auto* boxed = static_cast<Boxed<T>*>(lua_touserdata(L, 1));
  sandbox(L).budget().release(boxed->size);
  boxed->~Boxed<T>();
  return 0;
}

/// Pushes `value` as userdata of the Lua type `type`, the name under which `open_boxed` registered its metatable.
/// `size` is its memory beyond the userdata itself, in bytes.
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

/// Returns the boxed value at `index`. Raises a Lua error if it is not of the Lua type `type`.
template <typename T>
T& check_boxed(lua_State* L, int index, const char* type) {
  return static_cast<Boxed<T>*>(luaL_checkudata(L, index, type))->value;
}

/// Returns the boxed value at `index`, or nullptr if it is not of the Lua type `type`.
template <typename T>
T* test_boxed(lua_State* L, int index, const char* type) {
  auto* boxed = static_cast<Boxed<T>*>(luaL_testudata(L, index, type));
  return boxed ? &boxed->value : nullptr;
}

/// Registers the metatable of a boxed type under the name `type`: protected from scripts, with a finalizer, `__name`
/// and the metamethods `functions`, a list that ends with {nullptr, nullptr}.
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
