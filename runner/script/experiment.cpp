// Experiments in Lua: immutable drafts of specs with the methods with, get, inputs, resolve and launch.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/inside.h"
#include "lua/edge.h"
#include "lua/value.h"
#include "script/changes.h"
#include "script/lookup.h"
#include "script/module.h"
#include "spec/runs.h"

namespace compeer::script {

namespace {

namespace fs = std::filesystem;

constexpr const char* type = "experiment";
// Instructions for work whose CPU time is not counted, so that an endless loop of such work reaches the limit.
constexpr uint64_t cost_of_checking = 5'000, cost_of_resolving = 10'000;
const std::vector<std::string> members{"get", "inputs", "launch", "name", "resolve", "with"};

// Approximate memory of a draft in bytes.
size_t size_of(const spec::Draft& draft) {
  size_t size = 1000 + 4 * draft.values.dump().size();
  for (const auto& [path, origin] : draft.origins) size += 100 + path.size() + origin.size();
  for (const auto& [name, text] : draft.sources) size += name.size() + text.size();
  return size;
}

int with(lua_State* L) {
  const auto& draft = check_experiment(L, 1);
  const auto written = written_origins(L);
  auto changed = spec::with(draft, to_changes(L, 2));
  refine_origins(L, changed, written);
  push_experiment(L, std::move(changed));
  return 1;
}

spec::RunPlaces run_places(lua_State* L) {
  return {actions(L).folder(), [L](const std::string& name) { return launched_run(L, name); },
          [L](const std::string& text) { actions(L).remark(text); }};
}

spec::Spec resolved(lua_State* L, const spec::Draft& draft) {
  spend(L, cost_of_resolving);
  const BudgetPause pause(L);
  return spec::resolve(draft, actions(L).catalog(), run_places(L));
}

int resolve(lua_State* L) {
  push_json(L, resolved(L, check_experiment(L, 1)).values);
  return 1;
}

// experiment:inputs(): the runs that settings name: { ["model.path"] = "esc-world-sft" }.
int inputs(lua_State* L) {
  auto names = spec::json::object();
  for (const auto& [setting, run] : resolved(L, check_experiment(L, 1)).runs) names[setting] = run.name;
  push_json(L, names);
  return 1;
}

// experiment:get "grpo.lr": the value in the resolved spec, defaults included. If the draft can't be resolved, for
// example because it is incomplete, the value in the draft.
int get(lua_State* L) {
  const auto& draft = check_experiment(L, 1);
  const std::string path(check_text(L, 2));
  spec::json values = draft.values;
  try {
    values = resolved(L, draft).values;
  } catch (const Error&) {
  }
  const spec::json* value = look(values, path);
  if (!value) refuse_path("the experiment", values, path);
  push_json(L, *value);
  return 1;
}

// experiment:launch { check = false }
int launch_one(lua_State* L) {
  const auto& draft = check_experiment(L, 1);
  if (lua_isnoneornil(L, 2)) lua_settop(L, 1), lua_newtable(L);
  luaL_checktype(L, 2, LUA_TTABLE);
  const auto options = to_json(L, 2, "");
  for (const auto& [name, value] : options.items()) {
    if (name != "check") throw Error("", fmt::format("unknown option '{}'", name), suggest(name, {"check"}));
    if (!value.is_boolean()) throw Error("", "'check' must be true or false");
  }
  auto result = launch(L, {resolve_experiment(L, draft)}, 1).at(0);
  if (result.error && options.value("check", true)) throw *result.error;
  push_result(L, std::move(result));
  return 1;
}

int member(lua_State* L) {
  const auto& draft = check_experiment(L, 1);
  const std::string name(check_text(L, 2));
  if (name == "with") return lua_pushcfunction(L, bound<with>), 1;
  if (name == "get") return lua_pushcfunction(L, bound<get>), 1;
  if (name == "inputs") return lua_pushcfunction(L, bound<inputs>), 1;
  if (name == "resolve") return lua_pushcfunction(L, bound<resolve>), 1;
  if (name == "launch") return lua_pushcfunction(L, bound<launch_one>), 1;
  if (name == "name") return push_json(L, draft.values.value("name", spec::json())), 1;
  throw Error("", fmt::format("an experiment has no '{}'", name),
              suggest(name, members) + fmt::format("; to read a setting, use experiment:get \"{}\"", name));
}

int refuse_change(lua_State* L) {
  const std::string name(push_text(L, 2));
  throw Error("", fmt::format("an experiment is immutable: '{}' can't be set", name),
              fmt::format("make a changed copy: local changed = experiment:with {{ {} = ... }}", name));
}

int to_string(lua_State* L) {
  const auto name = check_experiment(L, 1).values.value("name", spec::json());
  lua_pushstring(L, name.is_string() ? fmt::format("experiment {}", name.get<std::string>()).c_str() : "experiment");
  return 1;
}

// Searches the script's folder and its parents first, so that the result does not depend on the current folder; then
// $COMPEER_HOME and the current folder.
fs::path find_toml(lua_State* L, const std::string& name) {
  if (fs::path(name).extension() != ".toml") {
    throw Error("", fmt::format("'{}' is not a TOML file", name),
                "load one: compeer.load \"experiments/smoke_grpo.toml\"");
  }
  std::error_code code;
  std::vector<fs::path> folders;
  for (auto folder = fs::absolute(sandbox(L).folder(), code).lexically_normal();; folder = folder.parent_path()) {
    if (folder.filename().empty() && folder.has_relative_path()) continue;  // a trailing slash
    folders.push_back(folder);
    if (!folder.has_relative_path()) break;
  }
  if (const char* home = std::getenv("COMPEER_HOME"); home && *home) folders.push_back(home);
  folders.push_back(fs::current_path(code));
  for (const auto& folder : folders) {
    const auto file = (folder / name).lexically_normal();
    if (!fs::is_regular_file(file, code)) continue;
    if (!is_inside_resolved(is_inside_lexically(folder, file) ? folder : file.parent_path(), file))
      throw Error("", fmt::format("'{}' lies outside the searched folder", name),
                  "replace the link by the file itself");
    const auto shown = file.lexically_proximate(fs::current_path(code));
    return shown.begin() != shown.end() && *shown.begin() == ".." ? file : shown;
  }
  std::vector<std::string> others;
  for (const auto& folder : folders) {
    for (const auto& entry : fs::directory_iterator((folder / name).parent_path(), code)) {
      if (entry.path().extension() == ".toml")
        others.push_back((fs::path(name).parent_path() / entry.path().filename()).string());
    }
  }
  const auto near = nearest(name, others);
  throw Error("", fmt::format("there is no '{}'", name),
              near.empty() ? "searched: the script's folder and its parents, $COMPEER_HOME and the current folder"
                           : fmt::format("did you mean '{}'?", near));
}

}  // namespace

void push_experiment(lua_State* L, spec::Draft draft) {
  spend(L, cost_of_checking);
  {
    const BudgetPause pause(L);
    spec::check(draft, actions(L).catalog());
  }
  const size_t size = size_of(draft);
  push_boxed<spec::Draft>(L, type, std::move(draft), size);
}

const spec::Draft& check_experiment(lua_State* L, int index) { return check_boxed<spec::Draft>(L, index, type); }
const spec::Draft* to_experiment(lua_State* L, int index) { return test_boxed<spec::Draft>(L, index, type); }

spec::Spec resolve_experiment(lua_State* L, const spec::Draft& draft) {
  spend(L, cost_of_resolving);
  std::optional<BudgetPause> pause(std::in_place, L);
  const auto make = [&](const spec::Spec& input, const std::string& why) {
    const auto name = input.values.at("name").get<std::string>();
    pause.reset();
    actions(L).note("compeer: note: " + why);
    const auto run = launch(L, {input}, 1).at(0);
    if (run.error) throw *run.error;
    pause.emplace(L);
    return spec::RunInput{name, run.path, run.spec, {}, true};
  };
  // In a dry run, files and folders of planned runs don't exist yet; all other inputs must exist.
  const auto may_miss = [&](const std::string& given) {
    return actions(L).dry_run() && actions(L).is_planned_path(given);
  };
  auto spec =
      spec::resolve_after_inputs(draft, actions(L).catalog(), run_places(L), make, may_miss, actions(L).changes());
  for (const auto& [name, text] : sandbox(L).sources()) spec.sources.emplace(name, text);
  return spec;
}

int load(lua_State* L) {
  auto draft = spec::load_toml(find_toml(L, file_name(check_text(L, 1))));
  push_experiment(L, spec::with(draft, actions(L).changes()));
  return 1;
}

int experiment(lua_State* L) {
  const auto written = written_origins(L);
  spec::Draft draft;
  draft.origins[""] = position(L);
  draft = spec::with(draft, to_changes(L, 1));
  refine_origins(L, draft, written);
  push_experiment(L, spec::with(draft, actions(L).changes()));
  return 1;
}

void open_experiments(lua_State* L) {
  const luaL_Reg functions[] = {{"__index", bound<member>},
                                {"__newindex", bound<refuse_change>},
                                {"__tostring", bound<to_string>},
                                {nullptr, nullptr}};
  open_boxed<spec::Draft>(L, type, functions);
}

}  // namespace compeer::script
