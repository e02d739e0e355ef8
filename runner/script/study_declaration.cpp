// How a study is declared: every field is checked before anything is run.
#include "script/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/inside.h"
#include "lua/userdata.h"
#include "lua/value.h"
#include "script/lookup.h"
#include "script/module.h"

namespace compeer::script {

namespace {

constexpr size_t most_seeds = 10'000, most_cells = 100'000;
const std::vector<std::string> fields{"against", "contrasts", "figures", "kept", "name", "rows", "run", "seeds"};

[[noreturn]] void refuse(const std::string& field, const std::string& what, const std::string& example) {
  throw Error("", fmt::format("a study's '{}' {}", field, what), example);
}

// The items of the list at the top of the stack, one after the other on top of it.
template <typename Body>
void each_item(lua_State* L, const Body& body) {
  const int list = lua_gettop(L);
  for (lua_Integer i = 1; lua_rawgeti(L, list, i) != LUA_TNIL; ++i) {
    spend(L, 100);
    body();
    lua_settop(L, list);
  }
  lua_settop(L, list);
}

// What a row says of a field that it hasn't; upvalue 1 has the fields of all rows.
int unknown_field(lua_State* L) {
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL || lua_type(L, 2) != LUA_TSTRING) return lua_pushnil(L), 1;
  std::vector<std::string> known;
  for (lua_pushnil(L); lua_next(L, lua_upvalueindex(1)); lua_pop(L, 1)) {
    if (lua_type(L, -2) == LUA_TSTRING) known.emplace_back(lua_tostring(L, -2));
  }
  std::sort(known.begin(), known.end());
  const std::string field = lua_tostring(L, 2);
  throw Error("", fmt::format("no row of the study has a field '{}'", field), suggest(field, known));
}

// Reads the declaration at index 1, which stays on the stack: its functions and rows are used later.
class Declaration {
 public:
  explicit Declaration(lua_State* L) : L_(L) {}

  Study read() {
    if (!lua_istable(L_, 1)) throw Error("", "a study is declared by a table", "compeer.study { name = ..., ... }");
    check_fields();
    study_.table.name = name();
    read_seeds();
    read_rows();
    read_figures();
    read_contrasts();
    read_kept();
    require("run", LUA_TFUNCTION, "is the function that makes a run", "run = function(seed, row) return ... end");
    study_.table.clear();
    return std::move(study_);
  }

 private:
  void check_fields() {
    for (lua_pushnil(L_); lua_next(L_, 1); lua_pop(L_, 1)) {
      lua_pushvalue(L_, -2);
      const std::string field(push_text(L_, -1));
      lua_pop(L_, 2);
      if (std::find(fields.begin(), fields.end(), field) == fields.end())
        throw Error("", fmt::format("a study has no field '{}'", field), suggest(field, fields));
    }
  }

  // Pushes a field; an Error with an example if it isn't of this type.
  void require(const char* field, int lua_type_of_it, const char* what, const char* example) {
    if (lua_getfield(L_, 1, field) == lua_type_of_it) return;
    if (lua_isnil(L_, -1)) throw Error("", fmt::format("a study needs '{}'", field), example);
    refuse(field, fmt::format("{}, not a {}", what, luaL_typename(L_, -1)), example);
  }

  std::string name() {
    require("name", LUA_TSTRING, "is a text", "name = \"table2\"");
    std::string text(push_text(L_, -1));
    lua_settop(L_, 1);
    return text;
  }

  void read_seeds() {
    const char* example = "seeds = 3, or seeds = { 1, 2, 3 }";
    auto& seeds = study_.table.seeds;
    const auto given = option(L_, 1, "seeds");
    if (given.is_null()) throw Error("", "a study needs 'seeds'", example);
    const auto whole = [](const spec::json& seed) { return seed.is_number_integer() && seed.get<int64_t>() >= 0; };
    if (given.is_array() && std::all_of(given.begin(), given.end(), whole)) {
      seeds = given.get<std::vector<int64_t>>();
    } else if (whole(given) && given.get<uint64_t>() <= most_seeds) {
      for (int64_t seed = 1; seed <= given.get<int64_t>(); ++seed) seeds.push_back(seed);
    } else {
      refuse("seeds", "are how many there are, or a list of them", example);
    }
    if (seeds.empty()) refuse("seeds", "are none", example);
    auto sorted = seeds;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) refuse("seeds", "name one twice", example);
    if (actions(L_).quick()) seeds.resize(1);
  }

  // Rows become tables with a name: { "UR", lr = 1e-4 } gets name = "UR", "UR" becomes { "UR", name = "UR" }.
  void read_rows() {
    require("rows", LUA_TTABLE, "is a list", example_of_rows);
    const int list = lua_gettop(L_);
    lua_newtable(L_);
    const int named = lua_gettop(L_);
    lua_pushvalue(L_, list);
    each_item(L_, [&] { add_row(named); });
    if (study_.table.rows.empty()) refuse("rows", "is empty", example_of_rows);
    lua_settop(L_, named);
    refuse_other_fields(named);
    lua_replace(L_, list);
    lua_settop(L_, list);  // index 2: the rows
  }

  // A field that no row has is a slip of the pen; one that other rows have is nil.
  void refuse_other_fields(int named) {
    lua_newtable(L_);
    lua_newtable(L_);
    const int known = lua_gettop(L_);
    for (size_t i = 1; i <= study_.table.rows.size(); ++i) {
      lua_rawgeti(L_, named, static_cast<lua_Integer>(i));
      for (lua_pushnil(L_); lua_next(L_, known + 1); lua_pop(L_, 1)) {
        lua_pushvalue(L_, -2);
        lua_pushboolean(L_, 1);
        lua_rawset(L_, known);
      }
      lua_settop(L_, known);
    }
    lua_pushcclosure(L_, bound<unknown_field>, 1);
    lua_setfield(L_, -2, "__index");
    for (size_t i = 1; i <= study_.table.rows.size(); ++i) {
      lua_rawgeti(L_, named, static_cast<lua_Integer>(i));
      lua_pushvalue(L_, -2);
      lua_setmetatable(L_, -2);
      lua_pop(L_, 1);
    }
    lua_settop(L_, named);
  }

  void add_row(int named) {
    auto& rows = study_.table.rows;
    lua_newtable(L_);
    const int row = lua_gettop(L_), given = row - 1;
    if (lua_istable(L_, given)) {
      for (lua_pushnil(L_); lua_next(L_, given);) {
        lua_pushvalue(L_, -2);
        lua_insert(L_, -2);
        lua_rawset(L_, row);
      }
      lua_rawgeti(L_, given, 1);
    } else {
      lua_pushvalue(L_, given);
      lua_pushvalue(L_, given);
      lua_rawseti(L_, row, 1);
    }
    if (lua_type(L_, -1) != LUA_TSTRING)
      refuse("rows",
             fmt::format("begin with their names; row {} begins with a {}", rows.size() + 1, luaL_typename(L_, -1)),
             example_of_rows);
    const std::string text(push_text(L_, -1));
    lua_pop(L_, 1);
    lua_setfield(L_, row, "name");
    if (std::find(rows.begin(), rows.end(), text) != rows.end())
      throw Error("", fmt::format("a study has two rows '{}'", text), "give each a name of its own");
    rows.push_back(text);
    lua_settop(L_, row);
    lua_rawseti(L_, named, static_cast<lua_Integer>(rows.size()));
  }

  // figures = { "reward", { "Fluency", "esc_eval.fluency", better = "lower" }, { "gap", function(run) ... end } }
  void read_figures() {
    require("figures", LUA_TTABLE, "is a list", example_of_figures);
    lua_newtable(L_);
    lua_insert(L_, -2);  // index 3: names and functions of figures
    each_item(L_, [&] { add_figure(); });
    if (study_.figures.empty()) refuse("figures", "is empty", example_of_figures);
    lua_settop(L_, 3);
    const auto& table = study_.table;
    if (table.rows.size() * table.figures.size() * table.seeds.size() > most_cells)
      throw Error("", fmt::format("a study of more than {} numbers", most_cells));
  }

  void add_figure() {
    const int item = lua_gettop(L_);
    const size_t number = study_.figures.size() + 1;
    StudyTable::Figure figure;
    if (lua_istable(L_, item)) {
      check_figure(item);
      lua_rawgeti(L_, item, 1);
      lua_rawgeti(L_, item, 2);
      if (lua_isnil(L_, -1)) lua_pop(L_, 1), lua_pushvalue(L_, -1);
      figure.better = better(item);
    } else {
      lua_pushvalue(L_, item);
      lua_pushvalue(L_, item);
    }
    if (lua_type(L_, -2) != LUA_TSTRING || !(lua_isfunction(L_, -1) || lua_type(L_, -1) == LUA_TSTRING))
      refuse("figures", fmt::format("have names; figure {} has none", number), example_of_figures);
    figure.title = push_text(L_, -2);
    lua_pop(L_, 1);
    study_.figures.emplace_back(lua_isfunction(L_, -1) ? std::string() : std::string(lua_tostring(L_, -1)));
    lua_rawseti(L_, 3, static_cast<lua_Integer>(number));
    for (const auto& other : study_.table.figures) {
      if (other.title == figure.title)
        throw Error("", fmt::format("a study has two figures '{}'", figure.title), "give each a title of its own");
    }
    study_.table.figures.push_back(figure);
  }

  void check_figure(int item) {
    for (lua_pushnil(L_); lua_next(L_, item); lua_pop(L_, 1)) {
      if (lua_isinteger(L_, -2) && lua_tointeger(L_, -2) >= 1 && lua_tointeger(L_, -2) <= 2) continue;
      lua_pushvalue(L_, -2);
      const std::string field(push_text(L_, -1));
      lua_pop(L_, 2);
      if (field != "better")
        throw Error("", fmt::format("a figure has no field '{}'", field), suggest(field, {"better"}));
    }
  }

  int better(int item) {
    const auto given = option(L_, item, "better");
    if (given.is_null() || given == "higher") return 1;
    if (given == "lower") return -1;
    if (given == "neither") return 0;
    throw Error("", fmt::format("'better' can't be {}", show(given)), "better = \"higher\", \"lower\" or \"neither\"");
  }

  void read_contrasts() {
    const auto against = option(L_, 1, "against"), pairs = option(L_, 1, "contrasts");
    auto& table = study_.table;
    if (!against.is_null() && !pairs.is_null())
      throw Error("", "a study has 'against' or 'contrasts', not both", example_of_contrasts);
    if (!against.is_null()) {
      if (!against.is_string()) refuse("against", "is the name of a row", "against = \"SFT\"");
      const size_t base = place_of(table.rows, against, "'against' names a row that isn't there:");
      for (size_t row = 0; row < table.rows.size(); ++row) {
        if (row != base) table.contrasts.push_back({row, base, all_figures()});
      }
    }
    if (!pairs.is_null() && !pairs.is_array()) refuse("contrasts", "is a list of pairs", example_of_contrasts);
    for (const auto& pair : pairs) {
      const bool names_two = pair.is_array() && pair.size() >= 2 && pair[0].is_string() && pair[1].is_string();
      if (!names_two || pair.size() > 3 || (pair.size() == 3 && !pair[2].is_array()))
        refuse("contrasts", "is a list of pairs of rows, each minus the other", example_of_contrasts);
      const auto row = place_of(table.rows, pair[0], "a contrast names a row that isn't there:");
      const auto base = place_of(table.rows, pair[1], "a contrast names a row that isn't there:");
      if (row == base) throw Error("", fmt::format("a contrast of '{}' with itself", table.rows[row]));
      table.contrasts.push_back({row, base, pair.size() == 3 ? figures_named(pair[2]) : all_figures()});
    }
  }

  std::vector<size_t> all_figures() const {
    std::vector<size_t> all(study_.table.figures.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  // Figures of a contrast by their titles.
  std::vector<size_t> figures_named(const spec::json& names) const {
    std::vector<std::string> titles;
    for (const auto& figure : study_.table.figures) titles.push_back(figure.title);
    std::vector<size_t> some;
    for (const auto& name : names) {
      if (!name.is_string()) refuse("contrasts", "name figures by their titles", example_of_contrasts);
      some.push_back(place_of(titles, name, "a contrast names a figure that isn't there:"));
    }
    return some;
  }

  void read_kept() {
    const auto folder = option(L_, 1, "kept");
    if (folder.is_null()) return;
    if (!folder.is_string() || folder.get<std::string>().empty())
      refuse("kept", "is a folder", "kept = \"figures/rates\"");
    study_.kept = file_name(folder.get<std::string>());
    if (!stays_below(".", study_.kept))
      throw Error("", fmt::format("figures can't be kept in '{}'", study_.kept),
                  "give a folder below the current one: kept = \"figures/rates\"");
  }

  static constexpr const char* example_of_rows = "rows = { { \"slow\", lr = 1e-5 }, { \"fast\", lr = 1e-4 } }";
  static constexpr const char* example_of_figures = "figures = { \"reward\", { \"Fluency\", \"esc_eval.fluency\" } }";
  static constexpr const char* example_of_contrasts =
      "contrasts = { { \"fast\", \"slow\" } }, or { { \"fast\", \"slow\", { \"reward\" } } } for this figure alone";

  lua_State* L_;
  Study study_;
};

}  // namespace

Study read_study(lua_State* L) {
  auto study = Declaration(L).read();
  lua_settop(L, 3);
  return study;
}

size_t place_of(const std::vector<std::string>& names, const std::string& name, const std::string& what) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw Error("", fmt::format("{} '{}'", what, name), suggest(name, names));
  return static_cast<size_t>(found - names.begin());
}

}  // namespace compeer::script
