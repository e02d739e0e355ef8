#pragma once
#include <lua.h>

#include "base/error.h"

// Lua's standard library for scripts in a sandbox. Harmless functions are Lua's own. Functions that can run for long
// without being counted as instructions, depend on addresses or time, or reach outside the script are reimplemented or
// missing.

namespace compeer::lua {

/// Creates the script's globals: base functions, string, table, math, utf8, coroutine. Reading or writing any other
/// global raises an error that names the nearest one.
void open_libraries(lua_State* L);

// Each of these pushes the table of its library onto the stack.
void open_base(lua_State* L);       // assert error getmetatable ipairs load next pairs pcall print raw* select ...
void open_string(lua_State* L);     // without dump; own implementation of patterns and `format`
void open_table(lua_State* L);      // with a stable sort
void open_math(lua_State* L);       // with reproducible random numbers
void open_coroutine(lua_State* L);  // without close

/// Pushes the function `require`, which loads Lua files below the script's folder, and creates the registry's table of
/// loaded modules.
void open_require(lua_State* L);
/// Lua function (name, open): adds a built-in module. `require(name)` then returns the value that `open` returns.
int open_module(lua_State* L);

/// Pushes a table with the functions `names`, a list that ends with a null pointer, of one of Lua's own libraries.
/// `open` is the function that opens this library, such as luaopen_utf8.
void copy_functions(lua_State* L, int (*open)(lua_State*), const char* const* names);

/// Makes reading a missing key of the table on top of the stack an error: "math has no 'sqr'". `name` names the table
/// in the message.
void make_strict(lua_State* L, const char* name);

/// To be called when a protected call or a coroutine has ended with the Lua status `status`: raises the error again if
/// the script was halted (ended for good, for example at a resource limit) or is out of memory, so that scripts can't
/// catch that.
void rethrow_if_halted(lua_State* L, int status);

/// Returns the error of a script that exceeds its memory limit, with the line of the refused allocation.
Error memory_error(lua_State* L);

}  // namespace compeer::lua
