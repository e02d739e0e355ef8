#pragma once
#include <lua.h>

#include "base/error.h"

/// Lua's standard library for scripts. Harmless functions are Lua's own. Functions that can run for long without the
/// instruction hook, depend on addresses or time, or reach outside the script are reimplemented.
namespace compeer::lua {

/// Creates the script's globals: base functions, string, table, math, utf8, coroutine. Reading or writing any other
/// global raises an error that names the nearest one.
void open_libraries(lua_State* L);

/// Each of these pushes the table of its library.
void open_base(lua_State* L);       // assert error getmetatable ipairs load next pairs pcall print raw* select ...
void open_string(lua_State* L);     // without dump; own implementation of patterns and `format`
void open_table(lua_State* L);      // with a stable sort
void open_math(lua_State* L);       // with reproducible random numbers
void open_coroutine(lua_State* L);  // without close

/// Pushes the function `require` and creates the table of modules.
void open_require(lua_State* L);
/// A Lua function with the arguments name and open function. Calls the open function and stores the value that it
/// pushes as the built-in module of this name. Returns nothing.
int open_module(lua_State* L);

/// Pushes a table with some functions of one of Lua's own libraries, which `open` opens. `names`: their names, followed
/// by a null pointer.
void copy_functions(lua_State* L, int (*open)(lua_State*), const char* const* names);

/// Makes reading a missing key of the table on top of the stack an error: "math has no 'sqr'".
void make_strict(lua_State* L, const char* name);

/// To be called when a protected call or a coroutine has ended: rethrows if the script was halted or is out of memory,
/// which can't be caught.
void rethrow_if_halted(lua_State* L, int status);

/// Returns the error for an exhausted memory limit.
Error memory_error(lua_State* L);

}  // namespace compeer::lua
