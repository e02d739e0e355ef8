#pragma once
#include <lua.h>

#include "base/error.h"

/// Lua's standard library as scripts see it. Where Lua's own function is harmless it is used as it is; functions that
/// can run long without the machine noticing, depend on addresses or time, or reach outside, are written anew.
namespace compeer::lua {

/// Makes the script's globals: base functions, string, table, math, utf8, coroutine. Reading or writing any other
/// global is an error that names the nearest one.
void open_libraries(lua_State* L);

/// Each pushes its table.
void open_base(lua_State* L);       // assert error getmetatable ipairs load next pairs pcall print raw* select ...
void open_string(lua_State* L);     // without dump; patterns and formats of our own
void open_table(lua_State* L);      // with a stable sort
void open_math(lua_State* L);       // with seeded random numbers
void open_coroutine(lua_State* L);  // without close

/// `require`, pushed with the table of modules that are built in.
void open_require(lua_State* L);
int open_module(lua_State* L);  // (name, open function): adds a built-in module

/// Pushes the table on top of the stack again after copying `names` of Lua's own library into it.
void copy_functions(lua_State* L, int (*open)(lua_State*), const char* const* names);

/// Makes reading an absent key of the table on top of the stack an error: "math has no 'sqr'".
void make_strict(lua_State* L, const char* name);

/// How pcall, xpcall and coroutines end: LUA_ERRMEM or a halted sandbox can't be caught.
void recheck(lua_State* L, int status);

/// What is thrown when the memory is used up.
Error memory_error(lua_State* L);

}  // namespace compeer::lua
