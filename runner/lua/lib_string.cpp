// The library `string`: Lua's own, with reimplemented patterns (see pattern.h), and without addresses.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "lua/counted.h"
#include "lua/edge.h"
#include "lua/libraries.h"
#include "lua/pattern.h"

namespace compeer::lua {

namespace {

constexpr size_t longest_pattern = 1 << 16;

Pattern compile(lua_State* L, std::string_view text, bool anchors = true) {
  if (text.size() > longest_pattern) throw Error("", "a pattern can't be longer than 65536 bytes");
  spend(L, 10 + text.size());
  return Pattern(text, anchors);
}

auto spender(lua_State* L) {
  return [L](uint64_t steps) { spend(L, steps); };
}

// Converts the start argument of string.find etc. (1-based, negative: from the end) to a 0-based offset. Returns
// Pattern::none if it is after the end.
size_t start_offset(lua_State* L, int argument, size_t length) {
  const lua_Integer start = luaL_optinteger(L, argument, 1);
  if (start > 0) return static_cast<uint64_t>(start) - 1 > length ? Pattern::none : static_cast<size_t>(start) - 1;
  if (start == 0 || start < -static_cast<lua_Integer>(length)) return 0;
  return length - static_cast<size_t>(-start);
}

void push_capture(lua_State* L, std::string_view subject, const Pattern::Capture& capture) {
  if (capture.length == Pattern::position) {
    lua_pushinteger(L, static_cast<lua_Integer>(capture.start) + 1);
  } else {
    lua_pushlstring(L, subject.data() + capture.start, static_cast<size_t>(capture.length));
  }
}

// Pushes all captures, or the whole match if there are none. Returns their number.
int push_captures(lua_State* L, std::string_view subject, const Pattern::Match& match) {
  if (match.captures.empty()) {
    lua_pushlstring(L, subject.data() + match.start, match.end - match.start);
    return 1;
  }
  luaL_checkstack(L, static_cast<int>(match.captures.size()), "too many captures");
  for (const auto& capture : match.captures) push_capture(L, subject, capture);
  return static_cast<int>(match.captures.size());
}

int find_plain(lua_State* L, std::string_view subject, std::string_view text, size_t start) {
  spend(L, 1 + subject.size() / 16);
  const size_t at = find_text(subject, text, start);
  if (at == std::string_view::npos) return lua_pushnil(L), 1;
  lua_pushinteger(L, static_cast<lua_Integer>(at) + 1);
  lua_pushinteger(L, static_cast<lua_Integer>(at + text.size()));
  return 2;
}

int find_or_match(lua_State* L, bool find) {
  const auto subject = check_text(L, 1), text = check_text(L, 2);
  const size_t start = start_offset(L, 3, subject.size());
  if (start == Pattern::none) return lua_pushnil(L), 1;
  if (find && (lua_toboolean(L, 4) || text.find_first_of("^$*+?.([%-") == std::string_view::npos)) {
    return find_plain(L, subject, text, start);
  }
  Pattern::Match match;
  if (!compile(L, text).search(subject, start, spender(L), match)) return lua_pushnil(L), 1;
  if (!find) return push_captures(L, subject, match);
  lua_pushinteger(L, static_cast<lua_Integer>(match.start) + 1);
  lua_pushinteger(L, static_cast<lua_Integer>(match.end));
  return 2 + (match.captures.empty() ? 0 : push_captures(L, subject, match));
}

int find(lua_State* L) { return find_or_match(L, true); }
int match(lua_State* L) { return find_or_match(L, false); }

// Upvalues: subject, pattern, start of the next search, end of the last match (0-based offsets; -1: none).
int next_match(lua_State* L) {
  const auto subject = check_text(L, lua_upvalueindex(1));
  const auto pattern = compile(L, check_text(L, lua_upvalueindex(2)), false);
  const auto start = static_cast<size_t>(lua_tointeger(L, lua_upvalueindex(3)));
  const auto avoid = static_cast<size_t>(lua_tointeger(L, lua_upvalueindex(4)));
  Pattern::Match match;
  if (start > subject.size() || !pattern.search(subject, start, spender(L), match, avoid)) return 0;
  for (const int upvalue : {3, 4}) {
    lua_pushinteger(L, static_cast<lua_Integer>(match.end));
    lua_replace(L, lua_upvalueindex(upvalue));
  }
  return push_captures(L, subject, match);
}

int gmatch(lua_State* L) {
  const auto subject = check_text(L, 1);
  compile(L, check_text(L, 2), false);
  const size_t start = start_offset(L, 3, subject.size());
  lua_settop(L, 2);
  lua_pushinteger(L, static_cast<lua_Integer>(std::min(start, subject.size() + 1)));
  lua_pushinteger(L, -1);
  lua_pushcclosure(L, bound<next_match>, 4);
  return 1;
}

[[noreturn]] void too_large(const char* function, size_t longest) {
  throw Error("", fmt::format("the result of {} is too large", function),
              fmt::format("strings of a script are limited to {} MiB", longest >> 20));
}

// The result of gsub so far. Its size is checked before each piece, since a short replacement can repeat a long match.
class Result {
 public:
  explicit Result(lua_State* L) : text_(CountingAllocator<char>(L)), longest_(sandbox(L).budget().limits().block) {}

  void operator+=(std::string_view piece) {
    if (piece.size() > longest_ - text_.size()) too_large("string.gsub", longest_);
    text_ += piece;
  }
  std::string_view text() const { return text_; }

 private:
  CountedText text_;
  size_t longest_;
};

// The replacement argument of gsub.
class Replacement {
 public:
  Replacement(lua_State* L, std::string_view subject) : L_(L), subject_(subject), kind_(lua_type(L, 3)) {
    luaL_argexpected(L, kind_ == LUA_TNUMBER || kind_ == LUA_TSTRING || kind_ == LUA_TFUNCTION || kind_ == LUA_TTABLE,
                     3, "string/function/table");
    if (kind_ == LUA_TNUMBER || kind_ == LUA_TSTRING) text_ = check_text(L, 3);
  }

  void append_to(Result& result, const Pattern::Match& match) const {
    if (kind_ == LUA_TNUMBER || kind_ == LUA_TSTRING) return append_text(result, match);
    if (kind_ == LUA_TTABLE) {
      push_first(match);
      lua_gettable(L_, 3);
    } else {
      lua_pushvalue(L_, 3);
      lua_call(L_, push_captures(L_, subject_, match), 1);
    }
    if (!lua_toboolean(L_, -1)) {
      result += subject_.substr(match.start, match.end - match.start);
    } else if (lua_isstring(L_, -1)) {
      result += check_text(L_, -1);
    } else {
      throw Error("", fmt::format("invalid replacement value (a {})", luaL_typename(L_, -1)));
    }
    lua_pop(L_, 1);
  }

 private:
  void push_first(const Pattern::Match& match) const {
    if (match.captures.empty()) {
      lua_pushlstring(L_, subject_.data() + match.start, match.end - match.start);
    } else {
      push_capture(L_, subject_, match.captures[0]);
    }
  }

  // Expands %0 to the whole match, %1 to %9 to captures (%1 to the whole match if there are none), %% to a percent
  // sign.
  void append_text(Result& result, const Pattern::Match& match) const {
    for (size_t i = 0; i < text_.size(); ++i) {
      if (text_[i] != '%') {
        result += text_.substr(i, 1);
        continue;
      }
      const char digit = ++i < text_.size() ? text_[i] : '\0';
      const size_t index = static_cast<size_t>(digit - '1');
      if (digit == '%') {
        result += "%";
      } else if (digit == '0' || (digit == '1' && match.captures.empty())) {
        result += subject_.substr(match.start, match.end - match.start);
      } else if (digit < '1' || digit > '9') {
        throw Error("", "invalid use of '%' in replacement string");
      } else if (index >= match.captures.size()) {
        throw Error("", fmt::format("invalid capture index %{} in replacement string", digit));
      } else {
        push_capture(L_, subject_, match.captures[index]);
        result += check_text(L_, -1);
        lua_pop(L_, 1);
      }
    }
  }

  lua_State* L_;
  std::string_view subject_, text_;
  int kind_;
};

int gsub(lua_State* L) {
  const auto subject = check_text(L, 1);
  const auto pattern = compile(L, check_text(L, 2));
  const Replacement replacement(L, subject);
  const lua_Integer most = luaL_optinteger(L, 4, static_cast<lua_Integer>(subject.size()) + 1);
  MemoryCharge compiled(L);
  compiled.add(pattern.bytes());
  Result result(L);
  lua_Integer count = 0;
  size_t at = 0, ended = Pattern::none;
  Pattern::Match match;
  while (count < most && at <= subject.size() && pattern.search(subject, at, spender(L), match, ended)) {
    const size_t before = result.text().size();
    result += subject.substr(at, match.start - at);
    replacement.append_to(result, match);
    spend(L, 10 + (result.text().size() - before) / 16);
    at = ended = match.end;
    ++count;
    if (pattern.anchored()) break;
  }
  if (at < subject.size()) result += subject.substr(at);
  lua_pushlstring(L, result.text().data(), result.text().size());
  lua_pushinteger(L, count);
  return 2;
}

int rep(lua_State* L) {
  const auto text = check_text(L, 1);
  const lua_Integer times = luaL_checkinteger(L, 2);
  const std::string_view separator = lua_isnoneornil(L, 3) ? std::string_view() : check_text(L, 3);
  if (times < 1 || text.size() + separator.size() == 0) return lua_pushliteral(L, ""), 1;
  const size_t longest = sandbox(L).budget().limits().block;
  if (static_cast<uint64_t>(times) > longest / (text.size() + separator.size())) too_large("string.rep", longest);
  CountedText result{CountingAllocator<char>(L)};
  result.reserve(static_cast<size_t>(times) * (text.size() + separator.size()));
  spend(L, result.capacity() / 16);
  for (lua_Integer i = 0; i < times; ++i) {
    if (i > 0) result += separator;
    result += text;
  }
  lua_pushlstring(L, result.data(), result.size());
  return 1;
}

// Lua's own string.format (in the upvalue), except that it never shows an address: no %p, and %s of a table has none.
int format(lua_State* L) {
  const auto text = check_text(L, 1);
  int argument = 1;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%' || ++i == text.size() || text[i] == '%') continue;
    ++argument;
    i = text.find_first_not_of("-+ #0123456789.", i);
    if (i == std::string_view::npos) break;
    if (text[i] == 'p') throw Error("", "string.format has no '%p' in scripts", "addresses differ from run to run");
    if (text[i] == 's' && argument <= lua_gettop(L)) {
      push_text(L, argument);
      lua_replace(L, argument);
    }
  }
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

// Makes methods of strings, s:upper(), and string arithmetic, "10" + 1, use this table.
void share_with_strings(lua_State* L) {
  lua_pushliteral(L, "");
  lua_getmetatable(L, -1);
  lua_pushvalue(L, -3);
  lua_setfield(L, -2, "__index");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 2);
}

}  // namespace

void open_string(lua_State* L) {
  const char* const kept[] = {"byte",     "char",    "format", "len",    "lower", "pack",
                              "packsize", "reverse", "sub",    "unpack", "upper", nullptr};
  copy_functions(L, luaopen_string, kept);
  const luaL_Reg own[] = {{"find", bound<find>},   {"gmatch", bound<gmatch>}, {"gsub", bound<gsub>},
                          {"match", bound<match>}, {"rep", bound<rep>},       {nullptr, nullptr}};
  luaL_setfuncs(L, own, 0);
  lua_getfield(L, -1, "format");
  lua_pushcclosure(L, bound<format>, 1);
  lua_setfield(L, -2, "format");
  share_with_strings(L);
}

}  // namespace compeer::lua
