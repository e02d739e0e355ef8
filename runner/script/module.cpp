// Opens the Lua module `compeer` and launches runs for scripts.
#include "script/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "lua/edge.h"
#include "lua/libraries.h"
#include "spec/text.h"

namespace compeer::script {

namespace {

// Instructions per launch, so that an endless loop that launches a finished run reaches the limit.
constexpr uint64_t cost_of_launching = 100'000;

// State of the module in one script.
struct ScriptState {
  std::shared_ptr<Actions> actions;
  std::map<std::string, RunResult> launched;  // hash of the spec -> result; without failed runs
};

int open(lua_State* L) {
  open_experiments(L);
  open_results(L);
  open_prelude(L);
  make_strict(L, "compeer");
  return 1;
}

std::vector<RunResult> launch_new(lua_State* L, const std::vector<spec::Spec>& specs, int jobs) {
  spend(L, cost_of_launching);
  std::optional<Error> ended;
  try {
    const BudgetPause pause(L);
    return actions(L).launch(specs, jobs);
  } catch (const Error& error) {
    ended = error;
  }
  halt(L, *ended);
}

// Replaces the library on top of the stack by a copy.
void copy_library(lua_State* L) {
  lua_newtable(L);
  for (lua_pushnil(L); lua_next(L, -3);) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -4);
  }
  lua_remove(L, -2);
}

// Pushes the globals of the prelude. Reading an undefined global is an error, as in scripts.
void push_globals(lua_State* L) {
  lua_newtable(L);
  for (const char* name : {"ipairs", "math", "pairs", "print", "rawget", "rawlen", "rawset", "setmetatable", "string",
                           "table", "tostring", "type", "utf8"}) {
    if (lua_getglobal(L, name) == LUA_TTABLE) copy_library(L);
    lua_setfield(L, -2, name);
  }
  add_primitives(L);
  lua_pushboolean(L, actions(L).quick());
  lua_setfield(L, -2, "quick");
  lua_pushstring(L, actions(L).folder().c_str());
  lua_setfield(L, -2, "folder");
  make_strict(L, "the prelude");
}

}  // namespace

void add_compeer(Sandbox& sandbox, std::shared_ptr<Actions> actions) {
  sandbox.keep(std::make_shared<ScriptState>(ScriptState{std::move(actions), {}}));
  sandbox.add_module("compeer", open);
}

Actions& actions(lua_State* L) { return *sandbox(L).kept<ScriptState>().actions; }

BudgetPause::BudgetPause(lua_State* L) : budget_(sandbox(L).budget()) { budget_.pause(); }
BudgetPause::~BudgetPause() { budget_.resume(); }

std::vector<RunResult> launch(lua_State* L, const std::vector<spec::Spec>& specs, int jobs) {
  auto& launched = sandbox(L).kept<ScriptState>().launched;
  std::vector<std::string> hashes;
  std::vector<spec::Spec> unknown;
  for (const auto& spec : specs) {
    hashes.push_back(spec.sha256());
    if (!launched.contains(hashes.back())) unknown.push_back(spec);
  }
  auto made = unknown.empty() ? std::vector<RunResult>() : launch_new(L, unknown, jobs);
  std::vector<RunResult> all;
  size_t next = 0;
  for (const auto& hash : hashes) {
    const auto known = launched.find(hash);
    all.push_back(known != launched.end() ? known->second : std::move(made.at(next++)));
  }
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].error && launched.emplace(hashes[i], all[i]).second) charge_memory(L, size_of(all[i]));
  }
  return all;
}

std::optional<spec::RunInput> launched_run(lua_State* L, const std::string& folder) {
  for (const auto& [hash, run] : sandbox(L).kept<ScriptState>().launched) {
    if (std::filesystem::path(run.path).filename() == folder)
      return spec::RunInput{folder, run.path, run.spec, {}, true};
  }
  return {};
}

void end_dry_run(lua_State* L, const std::string& needs) {
  actions(L).note(fmt::format("the dry run ends at {}, which needs {}", position(L), needs));
  sandbox(L).stop();
  raise_halt(L);
}

std::string file_name(std::string_view text) {
  const bool control = std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  if (control || !spec::valid_utf8(text))
    throw Error("", fmt::format("'{}' is not a valid file name", spec::printable(text)));
  return std::string(text);
}

void open_prelude(lua_State* L) {
  push_globals(L);
  for (const auto& [name, text] : prelude_texts()) {
    if (luaL_loadbufferx(L, text.data(), text.size(), name, "t") != LUA_OK) lua_error(L);
    lua_pushvalue(L, -2);
    lua_setupvalue(L, -2, 1);
    lua_call(L, 0, 0);
  }
  lua_getfield(L, -1, "compeer");
  lua_remove(L, -2);
}

}  // namespace compeer::script
