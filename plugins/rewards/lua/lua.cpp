// Scores completions by a function in a Lua script (docs/lua.md, "A reward without a compiler").
//
//   path, script  the file, or its text. The text is stored in spec.json, so a resumed run keeps its reward
//   settings      passed to the script: local settings = ...
//   instructions  limit of Lua instructions for scoring one group
//   memory        limit of memory in MiB
//
// Columns: those the script names; `score` if it returns only a function. It may abstain if the script says so.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "compeer/conversation.h"
#include "compeer/plugin.h"
#include "compeer/reward.h"
#include "compeer/scores.h"
#include "lua/edge.h"
#include "lua/sandbox.h"
#include "lua/value.h"

namespace compeer::lua_reward {

namespace {

/// A script that scores completions. Runs in a new sandbox for every group, so that no variable carries over: scores
/// depend only on the script, its settings, the group and the seed, not on the order of groups or the rank.
class Scorer {
 public:
  struct Setup {
    std::string text, name;   ///< `name`: the file, for messages
    nlohmann::json settings;  ///< passed to the script as `...`
    lua::Limits limits;       ///< for one group
    std::function<void(std::string_view)> print;
  };

  /// Runs the script once to learn its columns. Throws Error (exit 5) if it fails, as `score` does.
  explicit Scorer(Setup setup);

  /// Returns the names of the columns.
  const std::vector<std::string>& parts() const { return form_.parts; }

  /// Returns true if the script declares that it may abstain.
  bool abstains() const { return form_.abstains; }

  /// Writes parts() numbers for each completion to `out`, NaN where the script abstains. `seed`: for `math.random`.
  void score(const Group& group, uint64_t seed, double* out) const;

 private:
  /// The value a script returns: a function for one completion or for a whole group, with its columns.
  struct Form {
    std::vector<std::string> parts{"score"};
    bool of_group = false;
    bool abstains = false;  ///< nil means no opinion; otherwise nil is an error
  };

  void run(uint64_t seed, const std::function<void(lua_State*)>& use, const std::function<std::string()>& doing) const;
  Form open(lua_State* L) const;
  Form read_table(lua_State* L) const;
  void score_one(lua_State* L, const Completion& completion, double* out) const;
  void score_all(lua_State* L, const std::vector<Completion>& completions, double* out) const;
  double number(lua_State* L, int index, size_t part) const;
  std::string wanted(const std::string& what) const;

  Setup setup_;
  Form form_;
};

using namespace lua;

constexpr int function_at = 1, example_at = 2;  // stack positions during `score`
constexpr const char* form_help =
    "return function(completion, example) ... end, or { parts = { \"reward\", ... }, score = function ... end }";

void set_text(lua_State* L, const char* key, std::string_view text) {
  lua_pushlstring(L, text.data(), text.size());
  lua_setfield(L, -2, key);
}

void push_completion(lua_State* L, const Completion& completion) {
  lua_createtable(L, 0, 3);
  set_text(L, "text", completion.text);
  lua_pushinteger(L, completion.tokens);
  lua_setfield(L, -2, "tokens");
  lua_pushboolean(L, completion.finished);
  lua_setfield(L, -2, "finished");
}

void push_example(lua_State* L, const Example& example) {
  lua_createtable(L, 0, 4);
  set_text(L, "id", example.id);
  set_text(L, "answer", example.answer);
  lua_createtable(L, static_cast<int>(example.history.size()), 0);
  for (size_t i = 0; i < example.history.size(); ++i) {
    lua_createtable(L, 0, 2);
    set_text(L, "role", example.history[i].role);
    set_text(L, "text", example.history[i].text);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  lua_setfield(L, -2, "history");
  push_json(L, example.record);
  lua_setfield(L, -2, "record");
}

// Returns where the called function begins: "rewards/kind.lua:12".
std::string beginning(lua_State* L) {
  lua_Debug function;
  lua_pushvalue(L, function_at);
  lua_getinfo(L, ">S", &function);
  return fmt::format("{}:{}", function.source + 1, function.linedefined);
}

// Returns "nil" or a type with an article, such as "a boolean".
std::string a_value(lua_State* L, int index) {
  return lua_isnil(L, index) ? "nil" : std::string("a ") + luaL_typename(L, index);
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

[[noreturn]] void refuse(lua_State* L, const std::string& what, const std::string& help = "") {
  throw Error(beginning(L), "the function returned " + what, help);
}

Scorer::Scorer(Setup setup) : setup_(std::move(setup)) {
  run(
      0, [&](lua_State* L) { form_ = open(L); }, [] { return std::string(); });
}

void Scorer::score(const Group& group, uint64_t seed, double* out) const {
  const auto& all = group.completions;
  size_t at = 0;
  const auto doing = [&] {
    return form_.of_group ? fmt::format("\n  scoring all {} completions", all.size())
                          : fmt::format("\n  scoring completion {} (the first is 0)", at);
  };
  const auto use = [&](lua_State* L) {
    if (open(L).parts != form_.parts) throw Error("", "'parts' must be the same every time the script runs");
    push_example(L, group.example);
    if (form_.of_group) return score_all(L, all, out);
    for (at = 0; at < all.size(); ++at) score_one(L, all[at], out + at * form_.parts.size());
  };
  run(seed, use, doing);
}

void Scorer::run(uint64_t seed, const std::function<void(lua_State*)>& use,
                 const std::function<std::string()>& doing) const {
  try {
    Sandbox sandbox({setup_.limits, setup_.print, "look for an endless loop, or raise the setting 'instructions'",
                     "raise the setting 'memory'"});
    sandbox.random.seed = seed;
    sandbox.enter([&](lua_State* L) {
      sandbox.load_text(setup_.text, setup_.name);
      push_json(L, setup_.settings);
      lua_call(L, 1, 1);
      use(L);
    });
  } catch (const Error& error) {
    throw Error(error.where().empty() ? setup_.name : error.where(), error.problem() + doing(), error.help(),
                Exit::plugin);
  }
}

// Replaces the script's return value on the stack by its function.
Scorer::Form Scorer::open(lua_State* L) const {
  if (lua_isfunction(L, -1)) return {};
  if (!lua_istable(L, -1)) throw Error(setup_.name, fmt::format("returns a {}", luaL_typename(L, -1)), form_help);
  return read_table(L);
}

Scorer::Form Scorer::read_table(lua_State* L) const {
  for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
    const std::string key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : luaL_typename(L, -2);
    if (key != "abstains" && key != "parts" && key != "score" && key != "group") {
      throw Error(setup_.name, fmt::format("returns a table with '{}'", key),
                  suggest(key, {"abstains", "group", "parts", "score"}));
    }
  }
  Form form;
  if (const int type = lua_getfield(L, 1, "abstains"); type != LUA_TNIL && type != LUA_TBOOLEAN)
    throw Error(setup_.name, "'abstains' must be true or false",
                "with abstains = true the function may return nil: no reward");
  form.abstains = lua_toboolean(L, -1);
  if (lua_getfield(L, 1, "parts") != LUA_TNIL) {
    const auto parts = to_json(L, -1, "parts");
    const auto text = [](const auto& part) { return part.is_string(); };
    if (!parts.is_array() || !std::all_of(parts.begin(), parts.end(), text)) {
      throw Error(setup_.name, "'parts' must be a list of names", "parts = { \"reward\", \"politeness\" }");
    }
    form.parts = parts.get<std::vector<std::string>>();
  }
  const bool one = lua_getfield(L, 1, "score") == LUA_TFUNCTION;
  form.of_group = lua_getfield(L, 1, "group") == LUA_TFUNCTION;
  if (one == form.of_group) {
    throw Error(setup_.name, "must return a table with one function: 'score', for one completion, or 'group', for all",
                form_help);
  }
  lua_pushvalue(L, one ? -2 : -1);
  lua_replace(L, function_at);
  lua_settop(L, function_at);
  return form;
}

// The program checks the result for infinities, as for any reward.
double Scorer::number(lua_State* L, int index, size_t part) const {
  if (lua_isnil(L, index) && form_.abstains) return no_opinion;
  if (lua_type(L, index) != LUA_TNUMBER)
    refuse(L, fmt::format("{} for '{}'", a_value(L, index), form_.parts[part]), wanted("return a number"));
  const double value = lua_tonumber(L, index);
  if (std::isfinite(value) && std::isinf(static_cast<float>(value)))
    refuse(L, fmt::format("{:g} for '{}'", value, form_.parts[part]), "return a number up to 3.4e38");
  return value;
}

std::string Scorer::wanted(const std::string& what) const {
  return what + (form_.abstains ? ", or nil to abstain"
                                : "; to abstain with nil, the script must return { abstains = true, ... }");
}

// score(completion, example) returns one number for each column. If the script abstains, a single nil is enough.
void Scorer::score_one(lua_State* L, const Completion& completion, double* out) const {
  lua_pushvalue(L, function_at);
  push_completion(L, completion);
  lua_pushvalue(L, example_at);
  lua_call(L, 2, LUA_MULTRET);
  const auto count = static_cast<size_t>(lua_gettop(L) - example_at);
  const bool silent = form_.abstains && count == 1 && lua_isnil(L, -1);
  if (count != form_.parts.size() && !silent) {
    refuse(L,
           fmt::format("{} instead of {} ({})",
                       count == 0 ? "nothing" : fmt::format("{} value{}", count, count == 1 ? "" : "s"),
                       form_.parts.size(), listed(form_.parts)),
           wanted("return a number for each part"));
  }
  for (size_t part = 0; part < form_.parts.size(); ++part)
    out[part] = number(L, silent ? -1 : example_at + 1 + static_cast<int>(part), part);
  lua_settop(L, example_at);
}

// group(completions, example) returns a list with a number, or a list of numbers, for each completion.
void Scorer::score_all(lua_State* L, const std::vector<Completion>& completions, double* out) const {
  lua_pushvalue(L, function_at);
  lua_createtable(L, static_cast<int>(completions.size()), 0);
  for (size_t i = 0; i < completions.size(); ++i) {
    push_completion(L, completions[i]);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  lua_pushvalue(L, example_at);
  lua_call(L, 2, 1);
  if (!lua_istable(L, -1)) refuse(L, a_value(L, -1) + " instead of a list");
  if (lua_rawlen(L, -1) > completions.size()) {
    refuse(L, fmt::format("a list of {} for {} completions", lua_rawlen(L, -1), completions.size()));
  }
  const size_t parts = form_.parts.size();
  for (size_t i = 0; i < completions.size(); ++i, out += parts) {
    const bool in_list = lua_rawgeti(L, -1, static_cast<lua_Integer>(i) + 1) == LUA_TTABLE;
    const bool silent = form_.abstains && lua_isnil(L, -1);
    if (!in_list && !silent && (parts > 1 || lua_isnil(L, -1))) {
      refuse(L, fmt::format("{} for completion {} (the first is 0)", a_value(L, -1), i),
             wanted(parts > 1 ? fmt::format("return a list of {} numbers for each ({})", parts, listed(form_.parts))
                              : "return a number for each"));
    }
    for (size_t part = 0; part < parts; ++part) {
      if (in_list) lua_rawgeti(L, -1, static_cast<lua_Integer>(part) + 1);
      out[part] = number(L, -1, part);
      if (in_list) lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
}

}  // namespace

}  // namespace compeer::lua_reward

namespace {

using namespace compeer;

lua::Limits limits(const Settings& settings) {
  lua::Limits limits;
  limits.instructions = static_cast<uint64_t>(settings.integer("instructions"));
  limits.memory = static_cast<size_t>(settings.integer("memory")) << 20;
  limits.block = limits.memory / 4;
  limits.seconds = 3 + 1e-7 * static_cast<double>(limits.instructions);  // reached long after the limit of instructions
  return limits;
}

lua_reward::Scorer::Setup setup(const Settings& settings, Host& host) {
  if (!settings.has("script")) {
    throw Error("", "has neither 'path' nor 'script'", "set path = \"my_reward.lua\", a file that returns a function",
                Exit::plugin);
  }
  const auto print = [&host](std::string_view line) { host.log(std::string(line.substr(0, line.rfind('\n')))); };
  return {settings.text("script"), settings.has("path") ? settings.text("path") : "script",
          settings.json().at("settings"), limits(settings), print};
}

class LuaReward : public Reward {
 public:
  LuaReward(const Settings& settings, Host& host) : host_(host), scorer_(setup(settings, host)) {}

  std::vector<std::string> columns() const override { return scorer_.parts(); }

  Scores score(const Group& group) override {
    const auto& parts = scorer_.parts();
    std::vector<double> numbers(group.completions.size() * parts.size());
    scorer_.score(group, seed_of(group.example.id), numbers.data());
    Scores scores;
    auto number = numbers.begin();
    for (size_t i = 0; i < group.completions.size(); ++i) {
      for (const auto& part : parts) scores[part].push_back(*number++);
    }
    return scores;
  }

  bool abstains() const override { return scorer_.abstains(); }

 private:
  // Depends on the run's seed and the example's id only, so that a group gets the same numbers on every rank.
  uint64_t seed_of(const std::string& example) {
    const auto id = std::stoull(sha256(example).substr(0, 16), nullptr, 16);
    const auto bits = [&](uint32_t half) {
      const double number = host_.random(static_cast<uint32_t>(id), static_cast<uint32_t>(id >> 32), half);
      return static_cast<uint64_t>(number * 0x1p32);
    };
    return bits(0) << 32 | bits(1);
  }

  Host& host_;
  lua_reward::Scorer scorer_;
};

}  // namespace

COMPEER_PLUGIN(Reward, rewards, lua, LuaReward, R"json(
  "version": "1.0.0",
  "summary": "Scores completions by a function in a Lua script.",
  "parameters": {
    "path": {"type": "path", "default": null, "help": "script file: Lua that returns a function"},
    "script": {"type": "string", "default": null, "contents_of": "path",
               "help": "text of the script; with 'path', the file's contents when the run was created"},
    "settings": {"type": "table", "default": {}, "open": true, "help": "the script receives these as '...'"},
    "instructions": {"type": "integer", "default": 10000000, "min": 1000, "max": 100000000000,
                     "help": "maximum Lua instructions to score one group"},
    "memory": {"type": "integer", "default": 64, "min": 1, "max": 16384, "help": "maximum memory of the script, in MiB"}
  })json")
