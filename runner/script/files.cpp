// Primitives of the prelude that read or write files: reports, and the stored figures of studies.
#include <fmt/format.h>

#include <cmath>

#include "base/inside.h"
#include "lua/value.h"
#include "script/module.h"

namespace compeer::script {

namespace {

using spec::json;

constexpr uint64_t cost_of_report = 1'000'000;  // instructions, so that an endless loop of reports reaches the limit

std::vector<std::string> texts_of(const json& list) {  // an empty list may arrive as an empty table: Lua's {} is both
  return list.is_array() ? list.get<std::vector<std::string>>() : std::vector<std::string>();
}

Estimate estimate_of(const json& given) {
  if (given.is_null()) return {};
  return {given.at("mean"), given.value("low", Estimate::unknown), given.value("high", Estimate::unknown),
          given.at("n")};
}

// Converts the field `name` of a request, a table or comparison of the prelude; `notes` is the key of its notes.
std::optional<SweepTable> sweep_table(const json& request, const char* name, const char* notes) {
  if (!request.contains(name)) return {};
  const auto& given = request.at(name);
  SweepTable table{texts_of(given.at("settings")), texts_of(given.at("metrics")), {},
                   texts_of(given.at(notes)),      given.value("base", ""),       given.value("paired_by", "")};
  for (const auto& row : given.at("rows")) {
    auto& made = table.rows.emplace_back();
    for (const auto& path : table.settings) made.settings.push_back(row.value(path, json()));
    for (const auto& metric : table.metrics) made.metrics.push_back(estimate_of(row.value(metric, json())));
    made.finished = row.value("runs", size_t{0});
    made.failed = row.value("failed", size_t{0});
  }
  return table;
}

}  // namespace

// report { title = ..., output = ..., runs = ..., table = ..., comparison = ..., frontiers = { { x, y } } }
// Throws Error unless the report is an .html file below the current folder or the folder of runs.
int report(lua_State* L) {
  ReportRequest request;
  lua_getfield(L, 1, "output");
  request.output = file_name(check_text(L, -1));
  lua_getfield(L, 1, "runs");
  request.runs = results_at(L, lua_gettop(L));
  lua_pushnil(L);
  lua_setfield(L, 1, "runs");
  const auto given = to_json(L, 1, "");
  request.title = given.at("title");
  const std::filesystem::path path(request.output);
  if (path.extension() != ".html" ||
      !(is_inside_lexically(".", path) || is_inside_lexically(actions(L).folder(), path))) {
    throw Error("", fmt::format("a report can't be written to '{}'", request.output),
                "give a file name below the current folder or compeer.folder that ends in .html: results/alpha.html");
  }
  if (request.runs.empty()) throw Error("", "a report needs results");
  request.table = sweep_table(given, "table", "failed");
  request.comparison = sweep_table(given, "comparison", "left_out");
  for (const auto& pair : given.at("frontiers")) request.frontiers.emplace_back(pair.at(0), pair.at(1));
  spend(L, cost_of_report);
  const BudgetPause pause(L);
  actions(L).report(request);
  return 0;
}

// Stored figures of studies, one file per seed, so that a study can be run in parts, on several days and machines.

// check_kept(folder): throws Error unless the folder is below the current one
int check_kept(lua_State* L) {
  const auto folder = file_name(check_text(L, 1));
  if (is_inside_lexically(".", folder)) return 0;
  throw Error("", fmt::format("figures can't be stored in '{}'", folder),
              "set a folder below the current one: kept = \"figures/rates\"");
}

// read_kept(file, study, seed) -> { row = { title = number } }; NaN for a figure without a value. Throws Error (exit 4)
// if the file belongs to another study or seed.
int read_kept(lua_State* L) {
  const std::string file(check_text(L, 1)), study(check_text(L, 2));
  const auto seed = luaL_checkinteger(L, 3);
  const auto kept = actions(L).read_figures(file);
  lua_newtable(L);
  if (!kept) return 1;
  const auto rows = kept->value("rows", json());
  if (kept->value("study", json()) != study || kept->value("seed", json()) != seed || !rows.is_object())
    throw Error(file, fmt::format("contains no figures of the study '{}' with seed {}", study, seed),
                "move or delete the file; the study then runs again", Exit::data);
  for (const auto& [row, figures] : rows.items()) {
    lua_newtable(L);
    for (const auto& [title, value] : figures.items()) {
      if (!value.is_number() && !value.is_null()) continue;
      lua_pushnumber(L, value.is_null() ? Estimate::unknown : value.get<double>());
      lua_setfield(L, -2, title.c_str());
    }
    lua_setfield(L, -2, row.c_str());
  }
  return 1;
}

// write_kept(file, study, seed, rows): stores what read_kept returns; does nothing in a dry run
int write_kept(lua_State* L) {
  if (actions(L).dry_run()) return 0;
  auto rows = json::object();
  for (lua_pushnil(L); lua_next(L, 4); lua_pop(L, 1)) {
    auto& row = rows[std::string(check_text(L, -2))] = json::object();
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
      const double value = luaL_checknumber(L, -1);
      row[std::string(check_text(L, -2))] = std::isnan(value) ? json() : json(value);
    }
  }
  actions(L).store_figures(std::string(check_text(L, 1)),
                           {{"study", check_text(L, 2)}, {"seed", luaL_checkinteger(L, 3)}, {"rows", rows}});
  return 0;
}

}  // namespace compeer::script
