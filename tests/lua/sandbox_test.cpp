#include "lua/sandbox.h"

#include <gtest/gtest.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <sys/resource.h>
#include <time.h>

#include <fstream>
#include <random>

#include "base/error.h"
#include "battery.h"
#include "lua/pattern.h"
#include "run_script.h"

namespace compeer::lua {
namespace {

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

TEST(Sandbox, EndsEndlessLoopsWithinTheLimitsItHasByItself) {
  const double before = processor_seconds();
  const auto outcome = run_script("while true do pcall(function() while true do end end) end");
  EXPECT_EQ(outcome.problem.substr(0, 51), "the script needs more than 100000000 instructions\n ");
  EXPECT_EQ(outcome.help, "look for an endless loop: scripts only describe runs and read their results");
  EXPECT_LT(processor_seconds() - before, 5);
}

// A naive search would take a minute: a million times half a million comparisons.
TEST(Sandbox, FindsPlainTextInLinearTime) {
  EXPECT_EQ(run_script("local half = ('a'):rep(1000000) print((half .. half):find(half .. 'b', 1, true))").printed,
            "nil\n");
}

TEST(Sandbox, OrdersPairsByNumbersThenText) {
  EXPECT_EQ(run_script(R"(
    local t = { b = 1, a = 1, B = 1, [2] = 1, [10] = 1, [1.5] = 1, [-1] = 1, [true] = 1, [false] = 1, [""] = 1, ["a\0"] = 1 }
    local keys = {}
    for k in pairs(t) do keys[#keys + 1] = string.format("%q", k) end
    print(table.concat(keys, " "))
    local k, again = nil, {}
    repeat k = next(t, k) again[#again + 1] = string.format("%q", k) until k == nil
    print(#again == #keys + 1 and table.concat(again, " ", 1, #keys) == table.concat(keys, " "))
  )")
                .printed,
            "-1 0x1.8p+0 2 10 \"\" \"B\" \"a\" \"a\\0\" \"b\" false true\ntrue\n");
}

TEST(Sandbox, LetsPairsGoOnWhileFieldsChange) {
  EXPECT_EQ(
      run_script("local t = {1, 2, 3, x = 4} for k, v in pairs(t) do t[k] = nil t[3] = nil end print(next(t))").printed,
      "nil\n");
  EXPECT_EQ(
      run_script("for k, v in pairs(setmetatable({}, {__pairs = function() return ipairs {7} end})) do print(k, v) end")
          .printed,
      "1\t7\n");
  EXPECT_EQ(run_script("pairs({ [{}] = 1 })").problem.substr(0, 51),
            "a table with a table as a key has no fixed order\n  ");
}

// The garbage collector removes weak values at any time, and with them the names of their fields.
TEST(Sandbox, OrdersPairsOfTablesWithWeakValues) {
  EXPECT_EQ(run_script(R"(
    local t = setmetatable({}, { __mode = "v" })
    for i = 1, 20000 do t[("field %d "):format(30000 - i):rep(4)] = {} end
    local ordered, before = true, ""
    for k in pairs(t) do ordered, before = ordered and before < k, k end
    local k repeat k = next(t, k) until k == nil or #k > 0
    print(ordered)
  )")
                .printed,
            "true\n");
}

TEST(Sandbox, CutsMessagesThatNobodyReads) {
  const auto told = [](const std::string& text) { return run_script(text).problem.substr(0, 9000); };
  EXPECT_EQ(told("error(('x'):rep(60000000), 0)").find("x...\n"), 7999u);
  EXPECT_EQ(told("error(('€'):rep(3000), 0)").find("€...\n"), 7995u);  // 2666 characters of 3 bytes are 7998 bytes
  EXPECT_EQ(told("return _ENV[('x'):rep(60000000)]").size(), 1000u + 63);
  EXPECT_EQ(run_script("print(#select(2, pcall(error, ('x'):rep(10000), 0)))").printed, "10000\n");
}

TEST(Sandbox, DrawsTheSameNumbersEverywhere) {
  const std::string text = R"(
    local drawn = {}
    for i = 1, 3 do drawn[i] = math.random(1000) end
    math.randomseed(7) local a, b = math.random(), math.random(-5, 5)
    math.randomseed(7) print(a == math.random(), b == math.random(-5, 5), a >= 0 and a < 1, math.random(3) <= 3)
    print(table.concat(drawn, " "), math.type(math.random(0)), math.random(math.mininteger, math.maxinteger) ~= 0)
  )";
  const auto first = run_script(text);
  EXPECT_EQ(first.printed.substr(0, 20), "true\ttrue\ttrue\ttrue\n");
  EXPECT_EQ(run_script(text).printed, first.printed);
  EXPECT_EQ(run_script("print(math.random(1000), math.random(1000))").printed, "356\t541\n");
}

TEST(Sandbox, SortsStably) {
  EXPECT_EQ(run_script(R"(
    local t = {}
    for i = 1, 500 do t[i] = { i, i * 7 % 5 } end
    table.sort(t, function(a, b) return a[2] < b[2] end)
    local right = true
    for i = 2, 500 do right = right and (t[i-1][2] < t[i][2] or (t[i-1][2] == t[i][2] and t[i-1][1] < t[i][1])) end
    print(right)
    local s = { "b", "a", "C" } table.sort(s) print(table.concat(s))
    table.sort(t, function() return true end)
  )")
                .printed,
            "true\nCab\n");
  EXPECT_EQ(run_script("table.sort { 1, 'x' }").problem.substr(0, 41), "attempt to compare string with number\n   ");
}

TEST(Sandbox, ShowsNoAddresses) {
  EXPECT_EQ(run_script(R"(
    print({}, print, coroutine.create(print), tostring(print), string.format("%s %5s|%-7s|%q", {}, true, nil, 1))
    print(setmetatable({}, {__tostring = function() return "mine" end}), setmetatable({}, {__name = "T"}))
  )")
                .printed,
            "table\tfunction\tthread\tfunction\ttable  true|nil    |1\nmine\ttable\n");
}

TEST(Sandbox, TellsTheLineAndTheWayThere) {
  const auto outcome = run_script(R"(local function inner(t)
  return t.x.y
end
local function middle(t) return 1 + inner(t) end
local outer = function(t)
  return 1 + middle(t)
end
print(outer {}))");
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_EQ(outcome.where, "script.lua:2");
  EXPECT_EQ(outcome.problem,
            "attempt to index a nil value (field 'x')\n"
            "    2 |   return t.x.y\n"
            "  in function 'inner' (script.lua:2)\n"
            "  in function 'middle' (script.lua:4)\n"
            "  in function 'outer' (script.lua:6)\n"
            "  in the main chunk (script.lua:8)");
}

TEST(Sandbox, TellsOneLineForAMistakeAtTheTop) {
  EXPECT_EQ(run_script("local x = 1\nerror('no such study')").problem, "no such study\n    2 | error('no such study')");
  EXPECT_EQ(run_script("error('plain', 0)").where, "script.lua:1");
  EXPECT_EQ(run_script("error({})").problem.substr(0, 32), "a table was raised as an error\n ");
  EXPECT_EQ(run_script("error()").problem.substr(0, 30), "a nil was raised as an error\n ");
  EXPECT_EQ(run_script("local ok, e = pcall(error, 'x: y') error(e, 0)").problem.substr(0, 5), "x: y\n");
}

TEST(Sandbox, TellsSyntaxErrors) {
  const auto outcome = run_script("local x = 1\nlocal y = = 2\n");
  EXPECT_EQ(outcome.where, "script.lua:2");
  EXPECT_EQ(outcome.problem, "unexpected symbol near '='\n    2 | local y = = 2");
  EXPECT_EQ(run_script(std::string("local x = 1\n\0", 13)).where, "script.lua:2");
  EXPECT_EQ(run_script(std::string("local x = 1\n\0", 13)).problem, "a NUL byte in the script: \\x00");
  EXPECT_EQ(run_script(std::string("\xFF\xFEl\0", 4)).problem, "is text in UTF-16, not in UTF-8");
  EXPECT_EQ(run_script("\x1bLua").problem, "is bytecode, not Lua source");
  EXPECT_EQ(run_script("local x\n\n-- \xff").where, "script.lua:3");
  EXPECT_EQ(run_script("local x\n\n-- \xff").problem, "is not UTF-8: -- \\xff");
  EXPECT_EQ(run_script("x = ").exit, 3);
}

TEST(Sandbox, KnowsOnlyDeclaredVariables) {
  const auto told = [](const std::string& text) {
    const auto outcome = run_script(text);
    return outcome.where + ": " + outcome.problem.substr(0, outcome.problem.find('\n')) + "|" + outcome.help;
  };
  EXPECT_EQ(told("pritn('x')"), "script.lua:1: undeclared variable 'pritn'|did you mean 'print'?");
  EXPECT_EQ(told("local total = 1\nlocal f = function() return totl + 1 end\nprint(f())"),
            "script.lua:2: undeclared variable 'totl'|declare it first: local totl = ...");
  EXPECT_EQ(told("local total = 1\nlocal f = function() return total + totl end\nprint(f())"),
            "script.lua:2: undeclared variable 'totl'|did you mean 'total'?");
  EXPECT_EQ(told("local count = 1\ncuont = 2"),
            "script.lua:2: assignment to undeclared variable 'cuont'|did you mean 'count'? declare a new one: local "
            "cuont = ...");
  EXPECT_EQ(told("function f() end"),
            "script.lua:1: assignment to undeclared variable 'f'|declare a new one: local function f(...)");
  EXPECT_EQ(told("print = nil"), "script.lua:1: 'print' can't be changed|");
  EXPECT_EQ(told("math.sqr(2)"),
            "script.lua:1: math has no 'sqr'|did you mean 'sqrt'? known: sqrt, sin, abs, acos, asin, "
            "atan, ceil, cos and 19 more");
}

TEST(Sandbox, KeepsPlainLuaWorking) {
  EXPECT_EQ(run_script(R"(
    print(pcall(error, "x"), select("#", pcall(function() return 1, nil, 3 end)))
    print(xpcall(function(a) error(a, 0) end, function(e) return "<" .. e .. ">" end, "y"))
    local co = coroutine.wrap(function(a) local b = coroutine.yield(a + 1) pcall(coroutine.yield, b) return "end" end)
    print(co(1), co(2), co())
    local c = coroutine.create(function() error("inside") end)
    print(coroutine.resume(c)) print(coroutine.status(c)) print(coroutine.resume(c))
    print(load("return 1 + 1")(), load("x x"), load(function() return nil end))
    print(load("return y", "n", "t", { y = 5 })())
    print(("x"):rep(3, "-"), ("%d%%"):format(5), #table.pack(table.unpack({1, 2, 3})), ("abc"):upper())
    do local x <close> = setmetatable({}, {__close = function() print "closed" end}) end
    print(tostring(nil), tostring(1.5), tonumber("0x10"), 10 // 3, 2^53, "10" + 1, math.maxinteger + 1 == math.mininteger)
    print(utf8.char(228, 8364), utf8.len("ä€"), string.pack("<I2", 258):byte(1, -1))
    goto done
    ::done::
  )")
                .printed,
            "false\t4\nfalse\t<y>\n2\t2\tend\n"
            "false\tscript.lua:6: inside\ndead\nfalse\tcannot resume dead coroutine\n"
            "2\tnil\tfunction\n5\nx-x-x\t5%\t3\tABC\nclosed\n"
            "nil\t1.5\t16\t3\t9.007199254741e+15\t11\ttrue\nä€\t2\t2\t1\n");
}

class Require : public testing::Test {
 protected:
  Require() : folder_(std::filesystem::path(testing::TempDir()) / "compeer-require") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "study" / "lib");
    write("secret.lua", "return 'secret'");
    write("study/lib/tables.lua", "local t = {}\nfunction t.double(x) return 2 * x end\nreturn t");
    write("study/broken.lua", "local x = 1\nreturn x.y.z");
    write("study/syntax.lua", "return = 1");
    write("study/loop.lua", "return require 'loop'");
    write("study/bytecode.lua", "\x1bLuaS");
    std::filesystem::create_symlink(folder_ / "secret.lua", folder_ / "study" / "leak.lua");
  }
  ~Require() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  Outcome run(const std::string& text) const { return run_script(text, {}, (folder_ / "study").string()); }

  std::filesystem::path folder_;
};

TEST_F(Require, LoadsModulesBelowTheScriptOnce) {
  EXPECT_EQ(run("print(require('lib.tables').double(4), require 'lib.tables' == require 'lib.tables')").printed,
            "8\ttrue\n");
}

TEST_F(Require, NeverLeavesTheFolder) {
  EXPECT_EQ(run("require 'leak'").problem.substr(0, 48), "module 'leak' lies outside the script's folder\n ");
  EXPECT_EQ(run("require 'bytecode'").exit, 3);
}

TEST_F(Require, TellsWhatIsWrong) {
  EXPECT_EQ(run("require 'tabels'").help, "known: broken, bytecode, leak, loop, syntax");
  EXPECT_EQ(run("require 'brokn'").help, "did you mean 'broken'? known: broken, bytecode, leak, loop, syntax");
  EXPECT_EQ(run("require 'broken'").where, (folder_ / "study/broken.lua").string() + ":2");
  EXPECT_EQ(run("require 'syntax'").where, (folder_ / "study/syntax.lua").string() + ":1");
  EXPECT_EQ(run("require 'loop'").problem.substr(0, 29), "module 'loop' requires itself");
  EXPECT_EQ(run("print(pcall(require, 'broken')) print(pcall(require, 'broken'))").exit, 0);
}

TEST_F(Require, RunsFilesWithMarksAndInterpreterLines) {
  write("study/main.lua", "\xEF\xBB\xBF#!/usr/bin/env compeer\nlocal x = y");
  Sandbox sandbox;
  try {
    sandbox.run_file(folder_ / "study" / "main.lua");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), (folder_ / "study/main.lua").string() + ":2");
  }
  EXPECT_THROW(Sandbox().run_file(folder_ / "none.lua"), Error);
  EXPECT_THROW(Sandbox().run_file(folder_), Error);
}

// Reference: the same calls in a plain Lua with its own standard library.
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

// Peak resident memory of this process.
size_t resident_bytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<size_t>(used.ru_maxrss) << 10;
}

class Battery : public testing::TestWithParam<Nasty> {};

TEST_P(Battery, EndsAndSaysWhy) {
  const size_t resident = resident_bytes();
  const auto outcome = run_script(GetParam().text, GetParam().problem == hungry ? little_memory : few_instructions);
  EXPECT_LT(resident_bytes() - resident, 4 * few_instructions.memory);  // factor 4: sanitizers retain freed memory
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_EQ(outcome.where.substr(0, 10), "script.lua") << outcome.where << ": " << outcome.problem;
  EXPECT_NE(outcome.problem.find(GetParam().problem), std::string::npos) << outcome.where << ": " << outcome.problem;
}

INSTANTIATE_TEST_SUITE_P(Sandbox, Battery, testing::ValuesIn(battery),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace compeer::lua
