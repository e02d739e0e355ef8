#include "lua/pattern.h"

#include <gtest/gtest.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include <random>

#include "base/error.h"
#include "run_script.h"

namespace compeer::lua {
namespace {

// Lua's own library is the reference: the same calls in a plain Lua and in a sandbox.
class PlainLua {
 public:
  PlainLua() : state_(luaL_newstate()) { luaL_openlibs(state_); }
  ~PlainLua() { lua_close(state_); }
  PlainLua(const PlainLua&) = delete;
  PlainLua& operator=(const PlainLua&) = delete;

  std::string run(const std::string& text) {
    lua_settop(state_, 0);
    if (luaL_dostring(state_, text.c_str()) != LUA_OK) return "an error";
    return lua_tostring(state_, -1);
  }

 private:
  lua_State* state_;
};

std::string random_text(std::mt19937& random, const std::string& letters, size_t longest) {
  std::string text;
  for (size_t n = random() % (longest + 1); n > 0; --n) text += letters[random() % letters.size()];
  return text;
}

std::string random_pattern(std::mt19937& random) {
  static const char* const parts[] = {"a",  "b",   ".",  "%a", "%d",    "[ab]", "[^a]",  "[a-c1-3]", "(a*)", "(.-)",
                                      "()", "a+",  "b-", "a?", ".*",    ".-",   "%s*",   "%w+",      "%b()", "%f[a]",
                                      "%(", "[]]", "$",  "^",  "[^]b]", "%u",   "(b?)a", "[%a-]",    "*",    "-"};
  std::string text = random() % 4 == 0 ? "(a-)" : "";
  const bool captures = !text.empty();
  for (size_t n = 1 + random() % 5; n > 0; --n) text += parts[random() % std::size(parts)];
  return captures && random() % 2 == 0 ? text + "%1" : text;
}

const char* const collect = R"(
  local out = {}
  local function add(...) for i = 1, select('#', ...) do out[#out + 1] = tostring((select(i, ...))) end out[#out + 1] = ';' end
  add(string.find(s, p)) add(string.find(s, p, 3)) add(string.match(s, p)) add(string.match(s, p, -2))
  for a, b in string.gmatch(s, p) do add(a, b) end
  add(string.gsub(s, p, '<%0>')) add(string.gsub(s, p, '%1%%', 2))
  add(string.gsub(s, p, function(x) if x == 'a' then return 'Z' end end))
  add(string.gsub(s, p, { a = 1, b = false }))
)";

TEST(Pattern, DoesWhatLuasOwnDoes) {
  PlainLua plain;
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    const std::string arguments =
        "local s, p = [==[" + random_text(random, "aab1( )c-]", 12) + "]==], [==[" + random_pattern(random) + "]==]";
    const std::string expected = plain.run(arguments + collect + "return table.concat(out, ',')");
    const auto outcome = run_script(arguments + collect + "print(table.concat(out, ','))");
    EXPECT_EQ(outcome.problem, "") << arguments;
    EXPECT_EQ(outcome.printed, expected + "\n") << arguments;
  }
}

TEST(Pattern, RefusesMalformedOnes) {
  const auto problem = [](const char* text) {
    try {
      Pattern pattern(text);
    } catch (const Error& error) {
      return error.problem();
    }
    return std::string("none");
  };
  EXPECT_EQ(problem("a%"), "malformed pattern (ends with '%')");
  EXPECT_EQ(problem("[a"), "malformed pattern (missing ']')");
  EXPECT_EQ(problem("(a"), "malformed pattern (unfinished capture)");
  EXPECT_EQ(problem("a)"), "invalid pattern capture");
  EXPECT_EQ(problem("%b("), "malformed pattern (missing arguments to '%b')");
  EXPECT_EQ(problem("%fa"), "missing '[' after '%f' in pattern");
  EXPECT_EQ(problem("(a%1)"), "invalid capture index %1 in pattern");
}

TEST(Pattern, CountsItsSteps) {
  const std::string subject(40, 'a');
  uint64_t steps = 0;
  Pattern::Match match;
  EXPECT_FALSE(Pattern("a*a*b").search(
      subject, 0, [&](uint64_t n) { steps += n; }, match));
  EXPECT_GT(steps, 40u * 40u / 2);
}

TEST(Pattern, IsEndedByWhoeverCounts) {
  const std::string subject(2000, 'a');
  Pattern::Match match;
  uint64_t steps = 0;
  const auto spend = [&](uint64_t n) {
    if ((steps += n) > 100000) throw Error("", "enough");
  };
  EXPECT_THROW(Pattern(".-.-.-.-.-.-b").search(subject, 0, spend, match), Error);
}

}  // namespace
}  // namespace compeer::lua
