// Assembles the script's globals, and makes undeclared globals and missing keys errors.
#include "lua/libraries.h"

#include <fmt/format.h>

#include <vector>

#include "lua/edge.h"

namespace compeer::lua {

namespace {

// Returns the variables visible to the running function: its locals and upvalues.
std::vector<std::string> names_in_sight(lua_State* L) {
  std::vector<std::string> names;
  lua_Debug frame;
  if (!lua_getstack(L, 1, &frame)) return names;
  const auto add = [&](const char* name) {
    if (*name != '(' && *name != '\0' && std::string_view(name) != "_ENV") names.emplace_back(name);
    lua_pop(L, 1);
  };
  for (int i = 1; const char* name = lua_getlocal(L, &frame, i); ++i) add(name);
  lua_getinfo(L, "f", &frame);
  for (int i = 1; const char* name = lua_getupvalue(L, -1, i); ++i) add(name);
  lua_pop(L, 1);
  return names;
}

// Appends the table's string keys.
void add_keys(lua_State* L, int table, std::vector<std::string>& names) {
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
    if (lua_type(L, -2) == LUA_TSTRING) names.emplace_back(lua_tostring(L, -2));
  }
}

// Returns the value at `index` as a text for messages, truncated.
std::string name_at(lua_State* L, int index) {
  constexpr size_t longest = 1000;
  return std::string(push_text(L, index).substr(0, longest));
}

// Arguments: real globals, name.
int read_undeclared(lua_State* L) {
  const std::string name = name_at(L, 2);
  for (const char* missing : {"io", "os", "package", "debug", "dofile", "loadfile", "collectgarbage", "warn"}) {
    if (name == missing) {
      throw Error("", fmt::format("scripts have no '{}'", name),
                  "scripts can't access files, clock, environment or processes, so that they run the same everywhere");
    }
  }
  auto names = names_in_sight(L);
  add_keys(L, 1, names);
  const auto near = nearest(name, names);
  throw Error(
      "", fmt::format("undeclared variable '{}'", name),
      near.empty() ? fmt::format("declare it first: local {} = ...", name) : fmt::format("did you mean '{}'?", near));
}

// Arguments: empty globals, name, value. Upvalue: real globals.
int write_undeclared(lua_State* L) {
  const std::string name = name_at(L, 2);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) throw Error("", fmt::format("'{}' can't be changed", name));
  const auto near = nearest(name, names_in_sight(L));
  const char* kind = lua_isfunction(L, 3) ? "local function {}(...)" : "local {} = ...";
  throw Error("", fmt::format("assignment to undeclared variable '{}'", name),
              (near.empty() ? "" : fmt::format("did you mean '{}'? ", near)) +
                  "declare a new one: " + fmt::format(fmt::runtime(kind), name));
}

// Arguments: library, name. Upvalue: the library's name.
int read_missing(lua_State* L) {
  const std::string name = name_at(L, 2);
  std::vector<std::string> names;
  add_keys(L, 1, names);
  std::sort(names.begin(), names.end());
  throw Error("", fmt::format("{} has no '{}'", lua_tostring(L, lua_upvalueindex(1)), name), suggest(name, names));
}

// The globals table stays empty, so that every write calls __newindex; reads are forwarded to the real table.
void set_globals(lua_State* L) {
  lua_newtable(L);
  lua_newtable(L);
  lua_pushvalue(L, -3);
  lua_setfield(L, -2, "__index");
  lua_pushvalue(L, -3);
  lua_pushcclosure(L, bound<write_undeclared>, 1);
  lua_setfield(L, -2, "__newindex");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_setmetatable(L, -2);
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, "_G");
  lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);

  lua_newtable(L);
  lua_pushcfunction(L, bound<read_undeclared>);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
}

}  // namespace

void copy_functions(lua_State* L, int (*open)(lua_State*), const char* const* names) {
  lua_pushcfunction(L, open);
  lua_call(L, 0, 1);
  lua_newtable(L);
  for (; *names; ++names) {
    lua_getfield(L, -2, *names);
    lua_setfield(L, -2, *names);
  }
  lua_remove(L, -2);
}

void make_strict(lua_State* L, const char* name) {
  lua_newtable(L);
  lua_pushstring(L, name);
  lua_pushcclosure(L, bound<read_missing>, 1);
  lua_setfield(L, -2, "__index");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_setmetatable(L, -2);
}

void open_libraries(lua_State* L) {
  const char* const utf8[] = {"char", "charpattern", "codepoint", "codes", "len", "offset", nullptr};
  open_base(L);
  const auto add = [L](const char* name) {
    make_strict(L, name);
    lua_setfield(L, -2, name);
  };
  open_string(L), add("string");
  open_table(L), add("table");
  open_math(L), add("math");
  open_coroutine(L), add("coroutine");
  copy_functions(L, luaopen_utf8, utf8), add("utf8");
  open_require(L);
  lua_setfield(L, -2, "require");
  set_globals(L);
  lua_pop(L, 1);
}

}  // namespace compeer::lua
