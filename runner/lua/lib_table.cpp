// The library `table`: Lua's own with counted loops, and a stable sort.
#include "lua/counted.h"
#include "lua/edge.h"
#include "lua/libraries.h"

namespace compeer::lua {

namespace {

constexpr int libraries_own = 1;  // upvalue: Lua's own function

// Calls Lua's own function, which loops over a range of indices without the instruction hook, after counting the range.
int forward(lua_State* L, lua_Integer from, lua_Integer to) {
  if (to >= from) spend(L, static_cast<uint64_t>(to) - static_cast<uint64_t>(from) + 1);
  lua_pushvalue(L, lua_upvalueindex(libraries_own));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

int concat(lua_State* L) {
  luaL_checkany(L, 1);
  const lua_Integer from = luaL_optinteger(L, 3, 1);
  return forward(L, from, luaL_opt(L, luaL_checkinteger, 4, luaL_len(L, 1)));
}

int insert(lua_State* L) {
  luaL_checkany(L, 1);
  const lua_Integer end = luaL_len(L, 1);
  return forward(L, lua_gettop(L) == 3 ? luaL_checkinteger(L, 2) : end, end);
}

int remove(lua_State* L) {
  luaL_checkany(L, 1);
  const lua_Integer end = luaL_len(L, 1);
  return forward(L, luaL_optinteger(L, 2, end), end);
}

int move(lua_State* L) { return forward(L, luaL_checkinteger(L, 2), luaL_checkinteger(L, 3)); }

// Merge sort: stable, and with the same result on every machine even if the comparison is inconsistent.
class Sorter {
 public:
  Sorter(lua_State* L, lua_Integer size)
      : L_(L), order_(static_cast<size_t>(size), CountingAllocator<lua_Integer>(L)), merged_(order_) {
    lua_createtable(L_, static_cast<int>(size), 0);  // at index 3: a copy of the values
    for (lua_Integer i = 1; i <= size; ++i) {
      lua_geti(L_, 1, i);
      lua_rawseti(L_, 3, i);
      order_[static_cast<size_t>(i) - 1] = i;
    }
  }

  void sort() {
    for (size_t run = 1; run < order_.size(); run *= 2) {
      for (size_t start = 0; start < order_.size(); start += 2 * run) {
        merge(start, std::min(start + run, order_.size()), std::min(start + 2 * run, order_.size()));
      }
      order_.swap(merged_);
    }
    for (size_t i = 0; i < order_.size(); ++i) {
      lua_rawgeti(L_, 3, order_[i]);
      lua_seti(L_, 1, static_cast<lua_Integer>(i) + 1);
    }
  }

 private:
  void merge(size_t start, size_t middle, size_t end) {
    size_t left = start, right = middle;
    for (size_t i = start; i < end; ++i) {
      const bool take_right = right < end && (left == middle || less(order_[right], order_[left]));
      merged_[i] = take_right ? order_[right++] : order_[left++];
    }
  }

  bool less(lua_Integer a, lua_Integer b) {
    spend(L_, 5);
    const bool compared = lua_isnil(L_, 2);
    if (!compared) lua_pushvalue(L_, 2);
    lua_rawgeti(L_, 3, a);
    lua_rawgeti(L_, 3, b);
    if (!compared) lua_call(L_, 2, 1);
    const bool result = compared ? lua_compare(L_, -2, -1, LUA_OPLT) : lua_toboolean(L_, -1);
    lua_settop(L_, 3);
    return result;
  }

  lua_State* L_;
  CountedVector<lua_Integer> order_, merged_;
};

int sort(lua_State* L) {
  luaL_checkany(L, 1);
  const lua_Integer size = luaL_len(L, 1);
  if (!lua_isnoneornil(L, 2)) luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  if (size < 2) return 0;
  spend(L, static_cast<uint64_t>(size));
  Sorter(L, size).sort();
  return 0;
}

}  // namespace

void open_table(lua_State* L) {
  const char* const kept[] = {"concat", "insert", "move", "pack", "remove", "unpack", nullptr};
  copy_functions(L, luaopen_table, kept);
  const luaL_Reg paid[] = {
      {"concat", bound<concat>}, {"insert", bound<insert>}, {"move", bound<move>}, {"remove", bound<remove>}};
  for (const auto& [name, function] : paid) {
    lua_getfield(L, -1, name);
    lua_pushcclosure(L, function, libraries_own);
    lua_setfield(L, -2, name);
  }
  lua_pushcfunction(L, bound<sort>);
  lua_setfield(L, -2, "sort");
}

}  // namespace compeer::lua
