// compeer.interval, compeer.difference and compeer.holm: what scripts say of numbers of their own.
#include "statistics/interval.h"

#include <fmt/format.h>

#include <map>

#include "lua/value.h"
#include "script/module.h"

namespace compeer::script {

namespace {

using statistics::Interval;

constexpr size_t most_values = 1'000'000;
constexpr uint64_t cost_of_interval = 2'000, cost_of_value = 20;  // in instructions

double number_at(lua_State* L, const std::string& key) {
  if (lua_type(L, -1) == LUA_TNUMBER) return lua_tonumber(L, -1);
  throw Error("", fmt::format("value {} is a {}, not a number", key, luaL_typename(L, -1)), "", Exit::usage);
}

// The numbers in the table, in an order that doesn't depend on how the table was made.
std::map<std::string, double> values_at(lua_State* L, int index) {
  luaL_checktype(L, index, LUA_TTABLE);
  std::map<std::string, double> values;
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TNUMBER && lua_type(L, -2) != LUA_TSTRING)
      throw Error("", fmt::format("a {} can't be the key of a value", luaL_typename(L, -2)), "", Exit::usage);
    const std::string key(push_text(L, -2));
    lua_pop(L, 1);
    values[key] = number_at(L, key);
    spend(L, cost_of_value);
    if (values.size() > most_values) throw Error("", fmt::format("more than {} values", most_values));
  }
  return values;
}

std::string text_of(const Interval& interval, bool difference) {
  if (!interval.known()) return "-";
  auto text = difference ? fmt::format("{:+.4g}", interval.mean) : fmt::format("{:.4g}", interval.mean);
  if (interval.has_interval()) text += fmt::format(" ±{:.2g}", interval.high - interval.mean);
  return text;
}

void set(lua_State* L, const char* name, double value) {
  lua_pushnumber(L, value);
  lua_setfield(L, -2, name);
}

// { mean, n, low, high, half }: without the last three where there is no interval. Prints as "0.512 ±0.031".
void push(lua_State* L, const Interval& interval, bool difference) {
  lua_newtable(L);
  set(L, "mean", interval.mean);
  lua_pushinteger(L, interval.n);
  lua_setfield(L, -2, "n");
  if (interval.has_interval()) {
    set(L, "low", interval.low);
    set(L, "high", interval.high);
    set(L, "half", interval.high - interval.mean);
  }
  lua_newtable(L);
  push_json(L, text_of(interval, difference));
  lua_pushcclosure(
      L, [](lua_State* state) { return lua_pushvalue(state, lua_upvalueindex(1)), 1; }, 1);
  lua_setfield(L, -2, "__tostring");
  lua_setmetatable(L, -2);
}

}  // namespace

void push_interval(lua_State* L, const Interval& interval) { push(L, interval, false); }

void push_difference(lua_State* L, const std::vector<double>& differences) {
  const auto found = statistics::mean_interval(differences);
  push(L, found, true);
  lua_pushboolean(L, found.clear());
  lua_setfield(L, -2, "clear");
  if (found.has_interval()) set(L, "p", statistics::t_test(differences));
}

int interval(lua_State* L) {
  spend(L, cost_of_interval);
  std::vector<double> values;
  for (const auto& [key, value] : values_at(L, 1)) values.push_back(value);
  push(L, statistics::mean_interval(values), false);
  return 1;
}

int difference(lua_State* L) {
  spend(L, 2 * cost_of_interval);
  const auto values = values_at(L, 1), base = values_at(L, 2);
  std::vector<double> differences;
  for (const auto& [key, value] : values) {
    if (const auto partner = base.find(key); partner != base.end()) differences.push_back(value - partner->second);
  }
  push_difference(L, differences);
  return 1;
}

int holm(lua_State* L) {
  spend(L, cost_of_interval);
  luaL_checktype(L, 1, LUA_TTABLE);
  std::vector<double> p_values;
  for (lua_Integer i = 1; lua_rawgeti(L, 1, i) != LUA_TNIL; ++i) {
    p_values.push_back(number_at(L, std::to_string(i)));
    lua_pop(L, 1);
    spend(L, cost_of_value);
    if (p_values.size() > most_values) throw Error("", fmt::format("more than {} values", most_values));
  }
  lua_newtable(L);
  lua_Integer i = 0;
  for (const double p : statistics::holm(p_values)) {
    lua_pushnumber(L, p);
    lua_rawseti(L, -2, ++i);
  }
  return 1;
}

}  // namespace compeer::script
