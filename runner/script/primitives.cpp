// C++ functions that the prelude calls: experiments, results and their metrics, statistics (files: files.cpp).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "lua/value.h"
#include "script/changes.h"
#include "script/lookup.h"
#include "script/module.h"
#include "spec/dotted.h"
#include "spec/text.h"

namespace compeer::script {

namespace {

using spec::json;

constexpr uint64_t cost_of_statistics = 300, cost_of_value = 20;  // in instructions

std::string text_at(lua_State* L, int index) { return std::string(check_text(L, index)); }

void push(lua_State* L, const std::string& text) { lua_pushlstring(L, text.data(), text.size()); }

void push_list(lua_State* L, const std::vector<std::string>& texts) {
  lua_createtable(L, static_cast<int>(texts.size()), 0);
  for (size_t i = 0; i < texts.size(); ++i) {
    push(L, texts[i]);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
}

// Calls `body` for each item of the list at `index`, with the item on top of the stack.
template <typename Body>
void each_item(lua_State* L, int index, const Body& body) {
  for (lua_Integer i = 1; lua_rawgeti(L, index, i) != LUA_TNIL; ++i) {
    body();
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

std::vector<std::string> texts_at(lua_State* L, int index) {
  std::vector<std::string> texts;
  each_item(L, index, [&] { texts.push_back(text_at(L, -1)); });
  return texts;
}

std::vector<double> numbers_at(lua_State* L, int index) {
  std::vector<double> numbers;
  each_item(L, index, [&] { numbers.push_back(luaL_checknumber(L, -1)); });
  spend(L, cost_of_statistics + cost_of_value * numbers.size());
  return numbers;
}

// Functions of the prelude are passed to scripts wrapped in C++ functions. Otherwise `return compeer.study {}` would be
// a Lua tail call, which removes the script's stack frame and thus the line for error messages.

int call_entry(lua_State* L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

// entry(function) -> the function for scripts
int entry(lua_State* L) {
  lua_settop(L, 1);
  lua_pushcclosure(L, bound<call_entry>, 1);
  return 1;
}

// Messages

// refuse(what, help)
int refuse(lua_State* L) { throw Error("", text_at(L, 1), luaL_optstring(L, 2, "")); }

// kind(value): "experiment", "result" or Lua's type
int kind(lua_State* L) {
  push(L, to_experiment(L, 1) ? "experiment" : to_result(L, 1) ? "result" : luaL_typename(L, 1));
  return 1;
}

int suggest_name(lua_State* L) { return push(L, suggest(text_at(L, 1), texts_at(L, 2))), 1; }
int suggest_metric(lua_State* L) { return push(L, suggest_figure(text_at(L, 1), texts_at(L, 2))), 1; }
int nearest_name(lua_State* L) { return push(L, nearest(text_at(L, 1), texts_at(L, 2))), 1; }
int position_of_script(lua_State* L) { return push(L, position(L)), 1; }
int note(lua_State* L) { return actions(L).note(text_at(L, 1)), 0; }
int end_here(lua_State* L) { end_dry_run(L, text_at(L, 1)); }

// Values

void make_whole(json& value) {
  if (value.is_structured()) {
    for (auto& inner : value) make_whole(inner);
  } else if (value.is_number_float()) {
    const double number = value.get<double>();
    if (std::nearbyint(number) == number && std::abs(number) < 0x1p53) value = static_cast<int64_t>(number);
  }
}

// Pushes a text that is equal for equal values (1 and 1.0 are equal), and the value as text for messages.
int push_key(lua_State* L, json value) {
  const auto shown = show(value);
  make_whole(value);
  push(L, value.dump());
  push(L, shown);
  return 2;
}

int key_of(lua_State* L) { return push_key(L, to_json(L, 1, "")); }
int hash_of(lua_State* L) { return push(L, sha256(text_at(L, 1))), 1; }

// Experiments

// variants(base, { { name = ..., ... }, ... }) -> experiments: one copy of the base for each table of changes
int variants(lua_State* L) {
  const auto& base = check_experiment(L, 1);
  const auto written = written_origins(L);
  lua_newtable(L);
  const int made = lua_gettop(L);
  each_item(L, 2, [&] {
    auto changed = spec::with(base, to_changes(L, -1));
    refine_origins(L, changed, written);
    push_experiment(L, std::move(changed));
    lua_rawseti(L, made, static_cast<lua_Integer>(lua_rawlen(L, made)) + 1);
  });
  return 1;
}

// launch(experiments, jobs) -> results; all are resolved before the first is launched
int launch_all(lua_State* L) {
  std::vector<spec::Spec> specs;
  std::map<std::string, std::string> hashes;  // name of the run -> hash of its spec
  each_item(L, 1, [&] {
    specs.push_back(resolve_experiment(L, check_experiment(L, -1)));
    const auto hash = specs.back().sha256();
    const auto [other, is_new] = hashes.emplace(specs.back().values.at("name").get<std::string>(), hash);
    if (!is_new && other->second == hash) throw Error("", fmt::format("the list contains '{}' twice", other->first));
  });
  const auto jobs = static_cast<int>(luaL_checkinteger(L, 2));
  lua_newtable(L);
  lua_Integer i = 0;
  for (auto& result : specs.empty() ? std::vector<RunResult>() : launch(L, specs, jobs)) {
    push_result(L, std::move(result));
    lua_rawseti(L, -2, ++i);
  }
  return 1;
}

// tell_failed(runs): records the failed runs among these for the program's exit code
int tell_failed(lua_State* L) {
  auto runs = results_at(L, 1);
  std::erase_if(runs, [](const RunResult& run) { return !run.error; });
  actions(L).record_failures(runs);
  return 0;
}

// Results

int state_of(lua_State* L) { return push(L, state_name(check_result(L, 1).state)), 1; }

// described(run) -> "run 'x'" or "stage '01-judge' of run 'x'"
int described(lua_State* L) {
  const auto& run = check_result(L, 1);
  const auto text = fmt::format("run '{}'", run.name);
  push(L, run.stage.empty() ? text : fmt::format("stage '{}' of {}", run.stage, text));
  return 1;
}

// identity(run) -> a hash that is equal for runs that differ only in their names
int identity(lua_State* L) {
  const auto& run = check_result(L, 1);
  auto spec = run.spec;
  spec.erase("name");
  push(L, sha256(run.stage + spec.dump()));
  return 1;
}

// failure(run) -> a line about the failure, or nil if the run did not fail
int failure(lua_State* L) {
  const auto& run = check_result(L, 1);
  return run.error ? (push(L, failures({run}).front()), 1) : 0;
}

const json* setting_of(const RunResult& run, const std::string& path) {
  try {
    return look(run.spec, path);
  } catch (const Error&) {  // `path` may be the name of a metric, which is not a valid path: "01-sage/success/value"
    return nullptr;
  }
}

// setting(run, path) -> true if the run has the setting, its value, and the two results of key_of for the value
int setting(lua_State* L) {
  const auto* value = setting_of(check_result(L, 1), text_at(L, 2));
  lua_pushboolean(L, value != nullptr);
  push_json(L, value ? *value : json());
  return 2 + push_key(L, value ? *value : json());
}

int refuse_setting(lua_State* L) { refuse_path("a run", check_result(L, 1).spec, text_at(L, 2)); }

void add_paths(const json& value, const std::string& path, std::vector<std::string>& paths) {
  if (!value.is_structured()) return paths.push_back(path);
  size_t i = 0;
  for (const auto& [key, inner] : value.items())
    add_paths(inner, value.is_array() ? spec::join(path, i++) : spec::join(path, key), paths);
}

int setting_paths(lua_State* L) {
  std::vector<std::string> paths;
  add_paths(check_result(L, 1).spec, "", paths);
  push_list(L, paths);
  return 1;
}

// Pushes { mean, n, low, high, half }; without the last three if there is no interval.
void push_estimate(lua_State* L, const Estimate& estimate) {
  const auto set = [L](const char* name, double value) { lua_pushnumber(L, value), lua_setfield(L, -2, name); };
  lua_createtable(L, 0, 5);
  set("mean", estimate.mean);
  lua_pushinteger(L, estimate.n);
  lua_setfield(L, -2, "n");
  if (!estimate.has_interval()) return;
  set("low", estimate.low);
  set("high", estimate.high);
  set("half", estimate.high - estimate.mean);
}

// figure(run, name, whole) -> the metric and its full name, or nothing. `whole`: accept full names only.
int figure(lua_State* L) {
  const auto& run = check_result(L, 1);
  const auto name = text_at(L, 2);
  auto found = run.metrics.find(name);
  if (found == run.metrics.end() && !lua_toboolean(L, 3)) {
    spend(L, cost_of_value * run.metrics.size());
    found = run.metrics.find(find_figure(metric_names(run), name));
  }
  if (found == run.metrics.end()) return 0;
  push_estimate(L, found->second);
  push(L, found->first);
  return 2;
}

int may_have_figure(lua_State* L) {
  lua_pushboolean(L, may_have(check_result(L, 1), text_at(L, 2)));
  return 1;
}

// metric_names(run) -> full names of the metrics that the run has or, if it is planned, will have
int names_of_metrics(lua_State* L) {
  const auto& run = check_result(L, 1);
  auto names = metric_names(run);
  names.insert(names.end(), run.expected_metrics.begin(), run.expected_metrics.end());
  push_list(L, names);
  return 1;
}

// Statistics

int mean_interval(lua_State* L) { return push_estimate(L, statistics::mean_interval(numbers_at(L, 1))), 1; }
int t_test(lua_State* L) { return lua_pushnumber(L, statistics::t_test(numbers_at(L, 1))), 1; }

int holm(lua_State* L) {
  const auto corrected = statistics::holm(numbers_at(L, 1));
  lua_newtable(L);
  for (size_t i = 0; i < corrected.size(); ++i) {
    lua_pushnumber(L, corrected[i]);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  return 1;
}

}  // namespace

void add_primitives(lua_State* L) {
  const luaL_Reg functions[] = {{"check_kept", bound<check_kept>},
                                {"described", bound<described>},
                                {"end_dry_run", bound<end_here>},
                                {"entry", bound<entry>},
                                {"experiment", bound<experiment>},
                                {"failure", bound<failure>},
                                {"figure", bound<figure>},
                                {"holm", bound<holm>},
                                {"identity", bound<identity>},
                                {"key_of", bound<key_of>},
                                {"kind", bound<kind>},
                                {"launch", bound<launch_all>},
                                {"load", bound<load>},
                                {"may_have", bound<may_have_figure>},
                                {"mean_interval", bound<mean_interval>},
                                {"metric_names", bound<names_of_metrics>},
                                {"nearest", bound<nearest_name>},
                                {"note", bound<note>},
                                {"position", bound<position_of_script>},
                                {"read_kept", bound<read_kept>},
                                {"refuse", bound<refuse>},
                                {"refuse_path", bound<refuse_setting>},
                                {"report", bound<report>},
                                {"setting", bound<setting>},
                                {"setting_paths", bound<setting_paths>},
                                {"sha256", bound<hash_of>},
                                {"state_of", bound<state_of>},
                                {"suggest", bound<suggest_name>},
                                {"suggest_figure", bound<suggest_metric>},
                                {"t_test", bound<t_test>},
                                {"tell_failed", bound<tell_failed>},
                                {"variants", bound<variants>},
                                {"write_kept", bound<write_kept>},
                                {nullptr, nullptr}};
  luaL_setfuncs(L, functions, 0);
}

}  // namespace compeer::script
