#include <fmt/format.h>

#include <algorithm>

#include "base/inside.h"
#include "lua/value.h"
#include "script/compare.h"
#include "script/figures.h"
#include "script/module.h"
#include "script/table.h"

namespace compeer::script {

namespace {

constexpr const char* list_type = "results";
constexpr int deepest_list = 16;
constexpr uint64_t cost_of_report = 1'000'000;  // in instructions: a loop of reports ends too

spec::json as_json(const Estimate& estimate) {
  if (estimate.n == 0) return nullptr;
  if (!estimate.has_interval()) return {{"mean", estimate.mean}, {"n", estimate.n}};
  return {{"mean", estimate.mean}, {"low", estimate.low}, {"high", estimate.high}, {"n", estimate.n}};
}

// Makes the table at the top of the stack print as `text`.
void set_text(lua_State* L, const std::string& text) {
  lua_newtable(L);
  push_json(L, text);
  lua_pushcclosure(
      L, [](lua_State* state) { return lua_pushvalue(state, lua_upvalueindex(1)), 1; }, 1);
  lua_setfield(L, -2, "__tostring");
  lua_setmetatable(L, -2);
}

// Pushes a table that prints as `text`, with `rows` and `notes` to be read.
void push_printable(lua_State* L, const spec::json& rows, const char* notes_name, const spec::json& notes,
                    const std::string& text) {
  lua_newtable(L);
  push_json(L, rows);
  lua_setfield(L, -2, "rows");
  push_json(L, notes);
  lua_setfield(L, -2, notes_name);
  set_text(L, text);
}

// rows[i][column] is a setting's value, or { mean, low, high, n }; a metric that no run has isn't there, nor are the
// ends of an interval that there is none of.
spec::json row_of(const std::vector<std::string>& settings, const std::vector<spec::json>& values,
                  const std::vector<std::string>& metrics, const std::vector<Estimate>& estimates) {
  spec::json row;
  for (size_t i = 0; i < settings.size(); ++i) row[settings[i]] = values[i];
  for (size_t i = 0; i < metrics.size(); ++i) row[metrics[i]] = as_json(estimates[i]);
  return row;
}

void push_table(lua_State* L, const ResultTable& table) {
  auto rows = spec::json::array();
  for (const auto& row : table.rows) {
    rows.push_back(row_of(table.settings, row.settings, table.metrics, row.metrics));
    rows.back()["runs"] = row.finished;
    rows.back()["failed"] = row.failed;
  }
  push_printable(L, rows, "failed", table.failed, table.text());
}

void push_comparison(lua_State* L, const Comparison& comparison) {
  auto rows = spec::json::array();
  for (const auto& row : comparison.rows)
    rows.push_back(row_of(comparison.settings, row.settings, comparison.metrics, row.differences));
  push_printable(L, rows, "left_out", comparison.left_out, comparison.text());
}

// A dry run's have no metrics.
bool has_planned(const std::vector<RunResult>& runs) {
  return std::any_of(runs.begin(), runs.end(), [](const auto& run) { return run.state == RunResult::State::planned; });
}

// The results of the list at index 1, checked to have these columns as far as that is known.
std::vector<RunResult> results_with(lua_State* L, const char* what, const std::vector<std::string>& columns) {
  auto runs = to_results(L, 1);
  if (runs.empty()) throw Error("", fmt::format("a {} needs results", what));
  refuse_unpromised(runs, columns);
  return runs;
}

int end_at_numbers(lua_State* L) {
  end_dry_run(L, fmt::format("the numbers of a {}", check_text(L, lua_upvalueindex(1))));
}

// Pushes what stands for a table or a comparison in a dry run, which ends where a field of it is read.
int push_planned(lua_State* L, const char* what) {
  actions(L).note(fmt::format("a {} would be made at {}", what, position(L)));
  lua_newtable(L);
  set_text(L, fmt::format("{} (planned)", what));
  lua_getmetatable(L, -1);
  lua_pushstring(L, what);
  lua_pushcclosure(L, bound<end_at_numbers>, 1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  return 1;
}

// results:table("reweighting.alpha", "reward")
int table(lua_State* L) {
  std::vector<std::string> columns;
  for (int i = 2; i <= lua_gettop(L); ++i) columns.emplace_back(check_text(L, i));
  if (columns.empty()) throw Error("", "a table needs columns", "results:table(\"reweighting.alpha\", \"reward\")");
  const auto runs = results_with(L, "table", columns);
  if (has_planned(runs)) return push_planned(L, "table");
  push_table(L, make_table(runs, columns));
  return 1;
}

std::vector<std::string> texts(const spec::json& value, const std::string& name, const std::string& example) {
  const auto is_text = [](const spec::json& item) { return item.is_string(); };
  if (value.is_string()) return {value.get<std::string>()};
  if (value.is_array() && std::all_of(value.begin(), value.end(), is_text)) return value;
  throw Error("", fmt::format("'{}' is a list of names", name), example);
}

// The option `against`: settings with the values that a base run has.
std::vector<std::pair<std::string, spec::json>> base_option(const spec::json& against) {
  if (!against.is_object() || against.empty()) {
    throw Error("", "'against' says which runs are the base", "against = { [\"reweighting.plugin\"] = \"none\" }");
  }
  std::vector<std::pair<std::string, spec::json>> base;
  for (const auto& [path, value] : against.items()) base.emplace_back(path, value);
  return base;
}

std::vector<std::string> pair_option(lua_State* L, int index) {
  const auto pair = option(L, index, "pair");
  return pair.is_null() ? std::vector<std::string>{"seed"} : texts(pair, "pair", "pair = { \"seed\" }");
}

// results:compare { "reward", "distinct_2", against = { ["reweighting.plugin"] = "none" }, pair = "seed" }
int compare_list(lua_State* L) {
  luaL_checktype(L, 2, LUA_TTABLE);
  std::vector<std::string> columns;
  lua_newtable(L);  // the options without the columns
  const int options = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1)) {
    if (lua_isinteger(L, -2)) continue;
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    lua_rawset(L, options);
  }
  check_options(L, options, {"against", "pair"});
  for (lua_Integer i = 1; lua_rawgeti(L, 2, i) != LUA_TNIL; ++i) columns.emplace_back(check_text(L, -1)), lua_pop(L, 1);
  const auto base = base_option(option(L, options, "against"));
  const auto pair = pair_option(L, options);
  if (const auto runs = to_results(L, 1); !runs.empty()) check_comparison(runs, base, pair);
  const auto runs = results_with(L, "comparison", columns);
  if (has_planned(runs)) return push_planned(L, "comparison");
  push_comparison(L, compare(runs, columns, base, pair));
  return 1;
}

// Pages are written below the current folder, or below that of the runs, and nowhere else: a script has no files of its
// own.
void write_report(lua_State* L, ReportRequest report) {
  const std::filesystem::path path(file_name(report.output));
  if (path.extension() != ".html" || !(stays_below(".", path) || stays_below(actions(L).folder(), path))) {
    throw Error("", fmt::format("a report can't be written to '{}'", report.output),
                "give a file name below the current folder or compeer.folder that ends in .html: results/alpha.html");
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

// What a report shows of a sweep: columns as in `table`, and the options of `compare`.
void add_sweep(lua_State* L, int index, ReportRequest& report) {
  const auto columns = option(L, index, "columns"), against = option(L, index, "against");
  if (columns.is_null() && !against.is_null()) {
    throw Error("", "'against' needs 'columns'", "columns = { \"reweighting.plugin\", \"reward\" }");
  }
  if (columns.is_null()) return;
  const auto names = texts(columns, "columns", "columns = { \"reweighting.plugin\", \"reward\" }");
  if (has_planned(report.runs)) {  // there is nothing to show
    if (!against.is_null()) check_comparison(report.runs, base_option(against), pair_option(L, index));
    return refuse_unpromised(report.runs, names);
  }
  report.table = make_table(report.runs, names);
  if (report.table->settings.empty() || report.table->metrics.empty()) {
    throw Error("", "the columns of a report are one setting or more, and one metric or more");
  }
  if (!against.is_null()) report.comparison = compare(report.runs, names, base_option(against), pair_option(L, index));
}

// The page knows metrics by their whole names.
std::string whole_name(const std::vector<RunResult>& runs, const std::string& figure) {
  for (const auto& run : runs) {
    if (auto found = find_figure(metric_names(run), figure); !found.empty()) return found;
  }
  return figure;
}

// frontier = { x = "distinct_2", y = "reward" }, or a list of such tables.
void add_frontiers(lua_State* L, int index, ReportRequest& report) {
  const auto given = option(L, index, "frontier");
  if (given.is_null()) return;
  for (const auto& one : given.is_array() ? given : spec::json::array({given})) {
    const bool named = one.is_object() && one.size() == 2 && one.contains("x") && one.contains("y") &&
                       one["x"].is_string() && one["y"].is_string();
    if (!named) throw Error("", "'frontier' names two metrics", "frontier = { x = \"distinct_2\", y = \"reward\" }");
    report.frontiers.emplace_back(one["x"], one["y"]);
  }
  for (auto& [x, y] : report.frontiers) {
    if (has_planned(report.runs)) {
      refuse_unpromised(report.runs, {x, y});
      continue;
    }
    const auto sorted = sort_columns(report.runs, {x, y});
    if (!sorted.settings.empty())
      throw Error("", fmt::format("'frontier' names two metrics, and '{}' is a setting", sorted.settings[0]));
    x = whole_name(report.runs, x), y = whole_name(report.runs, y);
  }
}

// results:report "results/alpha.html", or { output = "results/alpha.html", title = "...", columns = { ... } }
int report_list(lua_State* L) {
  ReportRequest report;
  report.runs = to_results(L, 1);
  if (lua_type(L, 2) == LUA_TSTRING) {
    report.output = check_text(L, 2);
  } else {
    check_options(L, 2, {"against", "columns", "frontier", "output", "pair", "title"});
    report.title = text_option(L, 2, "title");
    report.output = text_option(L, 2, "output");
    add_sweep(L, 2, report);
    add_frontiers(L, 2, report);
  }
  write_report(L, std::move(report));
  return 0;
}

int list_member(lua_State* L) {
  if (lua_isinteger(L, 2)) return lua_pushnil(L), 1;
  const std::string name(push_text(L, 2));
  if (name == "table") return lua_pushcfunction(L, bound<table>), 1;
  if (name == "compare") return lua_pushcfunction(L, bound<compare_list>), 1;
  if (name == "report") return lua_pushcfunction(L, bound<report_list>), 1;
  throw Error("", fmt::format("a list of results has no '{}'", name), suggest(name, {"compare", "report", "table"}));
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
  check_options(L, 1, {"frontier", "output", "runs", "title"});
  lua_getfield(L, 1, "runs");
  if (!lua_istable(L, -1)) throw Error("", "a report needs 'runs', a list of results");
  ReportRequest report{
      text_option(L, 1, "title"), text_option(L, 1, "output"), to_results(L, lua_gettop(L)), {}, {}, {}};
  add_frontiers(L, 1, report);
  write_report(L, std::move(report));
  return 0;
}

void open_result_lists(lua_State* L) {
  luaL_newmetatable(L, list_type);
  const luaL_Reg list[] = {{"__index", bound<list_member>}, {"__tostring", bound<list_to_string>}, {nullptr, nullptr}};
  luaL_setfuncs(L, list, 0);
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
}

}  // namespace compeer::script
