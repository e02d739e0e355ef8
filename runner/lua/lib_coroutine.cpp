// The library `coroutine`, with resume and wrap that can't catch the end of a script.
#include "lua/edge.h"
#include "lua/libraries.h"

namespace compeer::lua {

namespace {

lua_State* coroutine_at(lua_State* L, int argument) {
  lua_State* other = lua_tothread(L, argument);
  luaL_argexpected(L, other, argument, "coroutine");
  return other;
}

// Moves the arguments on top of L to the coroutine, resumes it, and moves back its results or the error value. Returns
// the number of results, or -1 on an error.
int run(lua_State* L, lua_State* other, int arguments) {
  spend(L, 300);  // the cost of a yield, which is an exception
  if (!lua_checkstack(other, arguments)) throw Error("", "too many arguments to resume");
  lua_xmove(L, other, arguments);
  auto& running = sandbox(L).running;
  running = other;
  int results = 0;
  const int status = lua_resume(other, L, arguments, &results);
  running = L;
  rethrow_if_halted(L, status);
  if (status != LUA_OK && status != LUA_YIELD) {
    lua_xmove(other, L, 1);
    return -1;
  }
  if (!lua_checkstack(L, results + 1)) {
    lua_pop(other, results);
    throw Error("", "too many results to resume");
  }
  lua_xmove(other, L, results);
  return results;
}

int resume(lua_State* L) {
  lua_State* other = coroutine_at(L, 1);
  const int results = run(L, other, lua_gettop(L) - 1);
  lua_pushboolean(L, results >= 0);
  const int returned = results < 0 ? 2 : results + 1;
  lua_insert(L, -returned);
  return returned;
}

int resume_wrapped(lua_State* L) {
  const int results = run(L, lua_tothread(L, lua_upvalueindex(1)), lua_gettop(L));
  if (results < 0) return lua_error(L);
  return results;
}

int create(lua_State* L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  spend(L, 100);
  lua_State* other = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, other, 1);
  return 1;
}

int wrap(lua_State* L) {
  create(L);
  lua_pushcclosure(L, bound<resume_wrapped>, 1);
  return 1;
}

}  // namespace

void open_coroutine(lua_State* L) {
  const char* const kept[] = {"isyieldable", "running", "status", "yield", nullptr};
  copy_functions(L, luaopen_coroutine, kept);
  const luaL_Reg own[] = {
      {"create", bound<create>}, {"resume", bound<resume>}, {"wrap", bound<wrap>}, {nullptr, nullptr}};
  luaL_setfuncs(L, own, 0);
}

}  // namespace compeer::lua
