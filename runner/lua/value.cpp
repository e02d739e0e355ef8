// Converts between Lua values and JSON.
#include "lua/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lua/counted.h"
#include "lua/edge.h"
#include "spec/dotted.h"
#include "spec/text.h"

namespace compeer::lua {

namespace {

using spec::json;

constexpr size_t most_values = 100'000;
constexpr size_t deepest = 64;

class ValueReader {
 public:
  explicit ValueReader(lua_State* L) : L_(L), held_(L) {}

  json read(int index, const std::string& key) {
    if (++values_ > most_values)
      throw Error("", fmt::format("'{}' contains more than {} values", shown(key), most_values));
    spend(L_, 10);
    held_.add(sizeof(json) + key.size());
    index = lua_absindex(L_, index);
    switch (lua_type(L_, index)) {
      case LUA_TBOOLEAN:
        return lua_toboolean(L_, index) != 0;
      case LUA_TNUMBER:
        return number(index, key);
      case LUA_TSTRING:
        return text(index, key);
      case LUA_TTABLE:
        return table(index, key);
      default:
        throw Error("", fmt::format("'{}' can't be a {}", shown(key), luaL_typename(L_, index)),
                    "use strings, numbers, booleans, lists and tables");
    }
  }

 private:
  static std::string shown(const std::string& key) { return key.empty() ? "the value" : spec::printable(key); }

  json number(int index, const std::string& key) {
    if (lua_isinteger(L_, index)) return static_cast<int64_t>(lua_tointeger(L_, index));
    const double value = lua_tonumber(L_, index);
    if (!std::isfinite(value)) throw Error("", fmt::format("'{}' can't be {}", shown(key), spec::show(json(value))));
    return value;
  }

  json text(int index, const std::string& key) {
    const auto bytes = check_text(L_, index);
    if (!spec::valid_utf8(bytes)) throw Error("", fmt::format("'{}' is text that is not UTF-8", shown(key)));
    held_.add(bytes.size());
    return std::string(bytes);
  }

  json table(int index, const std::string& key) {
    if (inside_.size() == deepest) throw Error("", fmt::format("'{}' is nested too deeply", shown(key)));
    const void* identity = lua_topointer(L_, index);
    if (std::find(inside_.begin(), inside_.end(), identity) != inside_.end()) {
      throw Error("", fmt::format("'{}' is a table that contains itself", shown(key)));
    }
    luaL_checkstack(L_, 4, "too many nested tables");
    inside_.push_back(identity);
    json value = lua_rawlen(L_, index) > 0 ? list(index, key) : named(index, key);
    inside_.pop_back();
    return value;
  }

  json list(int index, const std::string& key) {
    const auto size = static_cast<lua_Integer>(lua_rawlen(L_, index));
    for (lua_pushnil(L_); lua_next(L_, index); lua_pop(L_, 1)) {
      const bool item = lua_isinteger(L_, -2) && lua_tointeger(L_, -2) >= 1 && lua_tointeger(L_, -2) <= size;
      if (!item)
        throw Error("", fmt::format("'{}' mixes list items with other keys, or lacks items between", shown(key)));
    }
    json values = json::array();
    for (lua_Integer i = 1; i <= size; ++i) {
      lua_rawgeti(L_, index, i);
      values.push_back(read(-1, spec::join(key, static_cast<size_t>(i) - 1)));
      lua_pop(L_, 1);
    }
    return values;
  }

  json named(int index, const std::string& key) {
    json values = json::object();
    for (lua_pushnil(L_); lua_next(L_, index); lua_pop(L_, 1)) {
      if (lua_type(L_, -2) != LUA_TSTRING) {
        throw Error("", fmt::format("'{}' has a key that is a {}", shown(key), luaL_typename(L_, -2)),
                    "use names as keys, or 1, 2, 3, ... without gaps for a list");
      }
      const auto name = text(-2, key.empty() ? "a key" : key).get<std::string>();
      values[name] = read(-1, key.empty() ? name : spec::join(key, name));
    }
    return values;
  }

  lua_State* L_;
  MemoryCharge held_;  // a string may occur many times in a table, and each occurrence is copied
  size_t values_ = 0;
  std::vector<const void*> inside_;
};

}  // namespace

json to_json(lua_State* L, int index, const std::string& key) { return ValueReader(L).read(index, key); }

void push_json(lua_State* L, const json& value) {
  luaL_checkstack(L, 4, "too many nested tables");
  switch (value.type()) {
    case json::value_t::boolean:
      lua_pushboolean(L, value.get<bool>());
      break;
    case json::value_t::number_integer:
    case json::value_t::number_unsigned:
      lua_pushinteger(L, value.get<lua_Integer>());
      break;
    case json::value_t::number_float:
      lua_pushnumber(L, value.get<double>());
      break;
    case json::value_t::string: {
      const auto& text = value.get_ref<const std::string&>();
      lua_pushlstring(L, text.data(), text.size());
      break;
    }
    case json::value_t::array:
      lua_createtable(L, static_cast<int>(value.size()), 0);
      for (size_t i = 0; i < value.size(); ++i) {
        push_json(L, value[i]);
        lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
      }
      break;
    case json::value_t::object:
      lua_newtable(L);
      for (const auto& [key, inner] : value.items()) {
        push_json(L, inner);
        lua_setfield(L, -2, key.c_str());
      }
      break;
    default:
      lua_pushnil(L);
  }
}

}  // namespace compeer::lua
