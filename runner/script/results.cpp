#include <fmt/format.h>

#include "lua/userdata.h"
#include "lua/value.h"
#include "script/lookup.h"
#include "script/module.h"
#include "script/table.h"

namespace compeer::script {

namespace {

constexpr const char* type = "result";
constexpr const char* list_type = "results";
constexpr int deepest_list = 16;
constexpr uint64_t cost_of_report = 1'000'000;  // in instructions: a loop of reports ends too

const char* state_name(RunResult::State state) {
  switch (state) {
    case RunResult::State::finished:
      return "finished";
    case RunResult::State::planned:
      return "planned";
    default:
      return "failed";
  }
}

// A metric of the run. A run that failed has none; in a dry run the script ends here.
const Estimate& measured(lua_State* L, const RunResult& run, const std::string& name) {
  if (run.state == RunResult::State::planned) end_dry_run(L, fmt::format("'{}' of run '{}'", name, run.name));
  if (run.error) {
    throw Error("", fmt::format("run '{}' failed, so it has no '{}'", run.name, name),
                "it failed because: " + run.error->problem());
  }
  return metric(run, name);
}

int interval(lua_State* L) {
  const auto& estimate = measured(L, check_result(L, 1), std::string(check_text(L, 2)));
  lua_pushnumber(L, estimate.low);
  lua_pushnumber(L, estimate.high);
  return 2;
}

int get(lua_State* L) {
  const auto& run = check_result(L, 1);
  const std::string path(check_text(L, 2));
  const auto* value = look(run.spec, path);
  if (!value) refuse_path("the run", run.spec, path);
  push_json(L, *value);
  return 1;
}

int member(lua_State* L) {
  const auto& run = check_result(L, 1);
  const std::string name(check_text(L, 2));
  if (name == "interval") return lua_pushcfunction(L, bound<interval>), 1;
  if (name == "get") return lua_pushcfunction(L, bound<get>), 1;
  if (name == "name") return push_json(L, run.name), 1;
  if (name == "path") return push_json(L, run.path), 1;
  if (name == "checkpoint") return push_json(L, run.path + "/checkpoints/last"), 1;
  if (run.state == RunResult::State::planned) end_dry_run(L, fmt::format("'{}' of run '{}'", name, run.name));
  if (name == "state") return push_json(L, state_name(run.state)), 1;
  if (name == "reused") return push_json(L, run.reused), 1;
  if (name == "exit") return push_json(L, run.error ? static_cast<int>(run.error->exit()) : 0), 1;
  if (name == "error") return push_json(L, run.error ? spec::json(run.error->what()) : spec::json()), 1;
  lua_pushnumber(L, measured(L, run, name).mean);
  return 1;
}

int refuse_change(lua_State* L) {
  check_result(L, 1);
  throw Error("", "a result can't be changed");
}

int to_string(lua_State* L) {
  const auto& run = check_result(L, 1);
  lua_pushstring(L, fmt::format("run {} ({})", run.name, state_name(run.state)).c_str());
  return 1;
}

// A table that prints as text, and can be read: rows[i][column] is a setting's value, or { mean, low, high, n }.
void push_table(lua_State* L, const Table& table) {
  lua_newtable(L);
  lua_createtable(L, static_cast<int>(table.rows.size()), 0);
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const auto& row = table.rows[i];
    spec::json values = {{"runs", row.finished}, {"failed", row.failed}};
    for (size_t k = 0; k < table.settings.size(); ++k) values[table.settings[k]] = row.settings[k];
    for (size_t k = 0; k < table.metrics.size(); ++k) {
      const auto& [mean, low, high, n] = row.metrics[k];
      if (n > 0) values[table.metrics[k]] = {{"mean", mean}, {"low", low}, {"high", high}, {"n", n}};
    }
    push_json(L, values);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  lua_setfield(L, -2, "rows");
  lua_newtable(L);
  push_json(L, table.text());
  lua_pushcclosure(
      L, [](lua_State* state) { return lua_pushvalue(state, lua_upvalueindex(1)), 1; }, 1);
  lua_setfield(L, -2, "__tostring");
  lua_setmetatable(L, -2);
}

// results:table("reweighting.alpha", "reward")
int table(lua_State* L) {
  const auto runs = to_results(L, 1);
  std::vector<std::string> columns;
  for (int i = 2; i <= lua_gettop(L); ++i) columns.emplace_back(check_text(L, i));
  if (columns.empty()) throw Error("", "a table needs columns", "results:table(\"reweighting.alpha\", \"reward\")");
  if (runs.empty()) throw Error("", "a table needs results");
  for (const auto& run : runs) {
    if (run.state == RunResult::State::planned) end_dry_run(L, fmt::format("the results of '{}'", run.name));
  }
  push_table(L, make_table(runs, columns));
  return 1;
}

// Pages are written below the current folder only: a script has no files of its own.
void write_report(lua_State* L, Report report) {
  const std::filesystem::path path(report.output);
  bool leaves = path.is_absolute() || path.extension() != ".html";
  for (const auto& part : path) leaves = leaves || part == "..";
  if (leaves) {
    throw Error("", fmt::format("a report can't be written to '{}'", report.output),
                "give a file name below the current folder that ends in .html: results/alpha.html");
  }
  if (report.runs.empty()) throw Error("", "a report needs results");
  spend(L, cost_of_report);
  const OffTheClock pause(L);
  actions(L).report(report);
}

std::string text_option(lua_State* L, int index, const std::string& name) {
  const auto value = option(L, index, name);
  if (!value.is_null() && !value.is_string()) throw Error("", fmt::format("'{}' is a text", name));
  return value.is_null() ? "" : value.get<std::string>();
}

// results:report "results/alpha.html", or { output = "results/alpha.html", title = "..." }
int report_list(lua_State* L) {
  auto runs = to_results(L, 1);
  if (lua_type(L, 2) == LUA_TSTRING) {
    write_report(L, {"", std::string(check_text(L, 2)), std::move(runs)});
  } else {
    check_options(L, 2, {"output", "title"});
    write_report(L, {text_option(L, 2, "title"), text_option(L, 2, "output"), std::move(runs)});
  }
  return 0;
}

int list_member(lua_State* L) {
  if (lua_isinteger(L, 2)) return lua_pushnil(L), 1;
  const std::string name(push_text(L, 2));
  if (name == "table") return lua_pushcfunction(L, bound<table>), 1;
  if (name == "report") return lua_pushcfunction(L, bound<report_list>), 1;
  throw Error("", fmt::format("a list of results has no '{}'", name), suggest(name, {"report", "table"}));
}

int list_to_string(lua_State* L) {
  lua_pushstring(L, fmt::format("{} results", lua_rawlen(L, 1)).c_str());
  return 1;
}

void add_results(lua_State* L, int index, int depth, std::vector<RunResult>& found) {
  if (depth > deepest_list) throw Error("", "the list of results is nested too deeply");
  index = lua_absindex(L, index);
  luaL_checkstack(L, 4, "too many nested lists");
  for (lua_Integer i = 1; lua_rawgeti(L, index, i) != LUA_TNIL; ++i) {
    spend(L, 1000);
    if (lua_istable(L, -1)) {
      add_results(L, -1, depth + 1, found);
    } else {
      found.push_back(check_result(L, -1));
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

}  // namespace

void push_result(lua_State* L, RunResult result) {
  const size_t size = 2000 + 4 * result.spec.dump().size() + 150 * result.metrics.size();
  push_boxed<RunResult>(L, type, std::move(result), size);
}

const RunResult& check_result(lua_State* L, int index) { return check_boxed<RunResult>(L, index, type); }

void push_results(lua_State* L, std::vector<RunResult> results) {
  lua_newtable(L);
  luaL_setmetatable(L, list_type);
  for (size_t i = 0; i < results.size(); ++i) {
    push_result(L, std::move(results[i]));
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
}

std::vector<RunResult> to_results(lua_State* L, int index) {
  luaL_checktype(L, index, LUA_TTABLE);
  std::vector<RunResult> found;
  add_results(L, index, 0, found);
  return found;
}

int results(lua_State* L) {
  push_results(L, to_results(L, 1));
  return 1;
}

// compeer.report { title = "...", output = "results/study.html", runs = { a, b, list } }
int report(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  check_options(L, 1, {"output", "runs", "title"});
  lua_getfield(L, 1, "runs");
  if (!lua_istable(L, -1)) throw Error("", "a report needs 'runs', a list of results");
  write_report(L, {text_option(L, 1, "title"), text_option(L, 1, "output"), to_results(L, lua_gettop(L))});
  return 0;
}

void open_results(lua_State* L) {
  const luaL_Reg functions[] = {{"__index", bound<member>},
                                {"__newindex", bound<refuse_change>},
                                {"__tostring", bound<to_string>},
                                {nullptr, nullptr}};
  open_boxed<RunResult>(L, type, functions);
  luaL_newmetatable(L, list_type);
  const luaL_Reg list[] = {{"__index", bound<list_member>}, {"__tostring", bound<list_to_string>}, {nullptr, nullptr}};
  luaL_setfuncs(L, list, 0);
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
}

}  // namespace compeer::script
