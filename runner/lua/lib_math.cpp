// The library `math`: Lua's own, with reproducible random numbers.
#include <bit>
#include <cmath>

#include "base/random.h"
#include "lua/edge.h"
#include "lua/libraries.h"

namespace compeer::lua {

namespace {

// Random numbers are counter-based: the n-th number of a seed is the same in every process.
uint32_t low(uint64_t n) { return static_cast<uint32_t>(n); }
uint32_t high(uint64_t n) { return static_cast<uint32_t>(n >> 32); }

int random(lua_State* L) {
  auto& state = sandbox(L).random;
  const uint64_t n = state.drawn++;
  lua_Integer from = 1, to = 0;
  switch (lua_gettop(L)) {
    case 0:
      lua_pushnumber(L, uniform(state.seed, Stream::lua, low(n), high(n)));
      return 1;
    case 1:
      to = luaL_checkinteger(L, 1);
      break;
    case 2:
      from = luaL_checkinteger(L, 1);
      to = luaL_checkinteger(L, 2);
      break;
    default:
      throw Error("", "wrong number of arguments to 'math.random'", "call math.random(), (to) or (from, to)");
  }
  const bool all_bits = lua_gettop(L) == 1 && to == 0;
  if (from > to && !all_bits) throw Error("", "the interval passed to 'math.random' is empty");
  const uint64_t size = static_cast<uint64_t>(to) - static_cast<uint64_t>(from) + 1;  // 0 means 2^64
  uint64_t drawn;
  if (all_bits || size == 0) {
    const auto bits = random_bits(state.seed, Stream::lua, low(n), high(n));
    drawn = uint64_t{bits[0]} << 32 | bits[1];
    if (all_bits) from = 0;
  } else {
    drawn = below(size, state.seed, Stream::lua, low(n), high(n));
  }
  lua_pushinteger(L, static_cast<lua_Integer>(static_cast<uint64_t>(from) + drawn));
  return 1;
}

int random_seed(lua_State* L) {
  uint64_t seed = 0;
  if (!lua_isnoneornil(L, 1)) {
    seed = lua_isinteger(L, 1) ? static_cast<uint64_t>(lua_tointeger(L, 1))
                               : std::bit_cast<uint64_t>(luaL_checknumber(L, 1));
  }
  sandbox(L).random = {seed, 0};
  return 0;
}

}  // namespace

void open_math(lua_State* L) {
  const char* const kept[] = {"abs",  "acos", "asin", "atan", "ceil",       "cos",  "deg",        "exp",  "floor",
                              "fmod", "huge", "log",  "max",  "maxinteger", "min",  "mininteger", "modf", "pi",
                              "rad",  "sin",  "sqrt", "tan",  "tointeger",  "type", "ult",        nullptr};
  copy_functions(L, luaopen_math, kept);
  const luaL_Reg own[] = {{"random", bound<random>}, {"randomseed", bound<random_seed>}, {nullptr, nullptr}};
  luaL_setfuncs(L, own, 0);
}

}  // namespace compeer::lua
