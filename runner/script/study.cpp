// compeer.study: a table of runs that is declared before the first of them starts.
#include "script/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "lua/userdata.h"
#include "lua/value.h"
#include "script/figures.h"
#include "script/kept_figures.h"
#include "script/module.h"

namespace compeer::script {

namespace {

constexpr const char* type = "study";
constexpr size_t slot_size = std::string_view(row_slot).size();

// Runs rows and seeds and writes their figures into the table. On the stack: the declaration, rows, figures.
class Conduct {
 public:
  Conduct(lua_State* L, Study& study) : L_(L), study_(study) {}

  void run_all() {
    auto& table = study_.table;
    KeptFigures kept(actions(L_), table, study_.kept);
    for (size_t seed = 0; seed < table.seeds.size(); ++seed) {
      for (size_t row = 0; row < table.rows.size(); ++row) {
        if (kept.take(seed, row)) continue;
        const auto result = run(table.seeds[seed], row);
        refuse_repetition(result, table.seeds[seed], row);
        add(result);
        for (size_t figure = 0; figure < table.figures.size(); ++figure)
          table.values[row][figure][seed] = value(result, row, figure);
        lua_settop(L_, 3);
        kept.keep(seed, row);
      }
    }
    refuse_unseen();
    table.notes = failures(study_.runs);
    actions(L_).failed(failed_);
  }

 private:
  // What the function `run` came to; it stays on the stack.
  RunResult run(int64_t seed, size_t row) {
    lua_getfield(L_, 1, "run");
    lua_pushinteger(L_, seed);
    lua_rawgeti(L_, 2, static_cast<lua_Integer>(row) + 1);
    lua_call(L_, 2, 1);
    if (const auto* draft = to_experiment(L_, -1)) {
      auto done = launch(L_, {resolve_experiment(L_, *draft)}, 1).at(0);
      if (done.error) failed_.push_back(done);
      push_result(L_, std::move(done));
    }
    if (const auto* result = to_result(L_, -1)) return *result;
    throw Error("",
                fmt::format("'run' of the study '{}' returned {} for seed {} of '{}'", study_.table.name,
                            lua_isnil(L_, -1) ? "nothing" : std::string("a ") + luaL_typename(L_, -1), seed,
                            study_.table.rows[row]),
                "return an experiment, its result (experiment:launch()) or a stage of it (result:stage \"sage\")");
  }

  // Two seeds whose runs are the same are one observation: counted twice they would look certain.
  void refuse_repetition(const RunResult& result, int64_t seed, size_t row) {
    auto spec = result.spec;
    spec.erase("name");
    const auto [first, is_new] = specs_.try_emplace({row, result.stage + spec.dump()}, seed);
    if (is_new) return;
    throw Error("",
                fmt::format("study '{}': seeds {} and {} of '{}' are the same run", study_.table.name, first->second,
                            seed, study_.table.rows[row]),
                "use the seed in 'run': base:with { name = row.name .. \"-\" .. seed, seed = seed }");
  }

  void add(const RunResult& result) {
    study_.planned = study_.planned || result.state == RunResult::State::planned;
    const auto same = [&](const RunResult& other) { return other.path == result.path; };
    if (std::none_of(study_.runs.begin(), study_.runs.end(), same)) study_.runs.push_back(result);
  }

  // NaN if there is none. An unknown figure ends the study at once, not after its last run.
  double value(const RunResult& result, size_t row, size_t figure) {
    if (result.error) return Estimate::unknown;
    auto name = study_.figures[figure];
    if (name.empty()) return result.state == RunResult::State::planned ? Estimate::unknown : computed(row, figure);
    const size_t slot = name.find(row_slot);
    if (slot != std::string::npos) name.replace(slot, slot_size, study_.table.rows[row]);
    if (result.state == RunResult::State::planned) {
      if (!may_have(result, name) && slot == std::string::npos) refuse_figure(result, name, result.promised);
      return Estimate::unknown;
    }
    if (const auto* found = look_up(result, name)) return seen_.insert(study_.figures[figure]), found->mean;
    if (slot == std::string::npos) refuse_figure(result, name, metric_names(result));
    return Estimate::unknown;
  }

  // A figure with the name of a row in it may be missing in a run, but not in all of them.
  void refuse_unseen() {
    const auto finished = [](const RunResult& run) { return run.state == RunResult::State::finished; };
    const auto one = std::find_if(study_.runs.begin(), study_.runs.end(), finished);
    if (study_.planned || one == study_.runs.end()) return;
    for (const auto& name : study_.figures) {
      if (name.find(row_slot) != std::string::npos && !seen_.contains(name))
        refuse_figure(*one, name, metric_names(*one));
    }
  }

  [[noreturn]] void refuse_figure(const RunResult& run, const std::string& name,
                                  const std::vector<std::string>& known) {
    const auto owner = run.stage.empty() ? fmt::format("run '{}'", run.name)
                                         : fmt::format("stage '{}' of run '{}'", run.stage, run.name);
    throw Error("", fmt::format("study '{}': {} has no figure '{}'", study_.table.name, owner, name),
                suggest_figure(name, known));
  }

  // The figure's function of the result at index 4 and the row.
  double computed(size_t row, size_t figure) {
    lua_rawgeti(L_, 3, static_cast<lua_Integer>(figure) + 1);
    lua_pushvalue(L_, -2);
    lua_rawgeti(L_, 2, static_cast<lua_Integer>(row) + 1);
    lua_call(L_, 2, 1);
    if (!lua_isnil(L_, -1) && lua_type(L_, -1) != LUA_TNUMBER)
      throw Error("",
                  fmt::format("study '{}': figure '{}' is a {} for '{}', not a number", study_.table.name,
                              study_.table.figures[figure].title, luaL_typename(L_, -1), study_.table.rows[row]),
                  "return a number, or nil where there is none");
    const double found = lua_isnil(L_, -1) ? Estimate::unknown : lua_tonumber(L_, -1);
    lua_pop(L_, 1);
    return found;
  }

  lua_State* L_;
  Study& study_;
  std::vector<RunResult> failed_;
  std::map<std::pair<size_t, std::string>, int64_t> specs_;  // of a row, less the name -> its seed
  std::set<std::string> seen_;                               // names of figures that a run has
};

const Study& check_study(lua_State* L, int index) { return check_boxed<Study>(L, index, type); }

size_t row_at(lua_State* L, const Study& study, int index) {
  return place_of(study.table.rows, std::string(check_text(L, index)),
                  fmt::format("study '{}' has no row", study.table.name));
}

// A figure by its title or its name. A dry run ends here.
size_t figure_at(lua_State* L, const Study& study, int index) {
  const std::string asked(check_text(L, index));
  std::vector<std::string> titles;
  for (const auto& figure : study.table.figures) titles.push_back(figure.title);
  const auto name = std::find(study.figures.begin(), study.figures.end(), asked);
  const size_t found = name != study.figures.end()
                           ? static_cast<size_t>(name - study.figures.begin())
                           : place_of(titles, asked, fmt::format("study '{}' has no figure", study.table.name));
  if (study.planned) end_dry_run(L, fmt::format("'{}' of the study '{}'", asked, study.table.name));
  return found;
}

// study:interval("UR", "Fluency")
int interval_of(lua_State* L) {
  const auto& study = check_study(L, 1);
  const size_t row = row_at(L, study, 2), figure = figure_at(L, study, 3);
  push_interval(L, statistics::mean_interval(study.table.values[row][figure]));
  return 1;
}

// study:difference("UR", "SFT", "Fluency")
int difference_of(lua_State* L) {
  const auto& study = check_study(L, 1);
  const size_t row = row_at(L, study, 2), base = row_at(L, study, 3), figure = figure_at(L, study, 4);
  push_difference(L, study.table.differences(row, base, figure));
  return 1;
}

int member(lua_State* L) {
  const auto& study = check_study(L, 1);
  const std::string name(push_text(L, 2));
  if (name == "name") return push_json(L, study.table.name), 1;
  if (name == "runs") return push_results(L, study.runs), 1;
  if (name == "interval") return lua_pushcfunction(L, bound<interval_of>), 1;
  if (name == "difference") return lua_pushcfunction(L, bound<difference_of>), 1;
  throw Error("", fmt::format("a study has no '{}'", name), suggest(name, {"difference", "interval", "name", "runs"}));
}

int to_string(lua_State* L) {
  const auto& study = check_study(L, 1);
  push_json(L, study.planned ? fmt::format("study {} (planned)", study.table.name) : study.table.text());
  return 1;
}

int refuse_change(lua_State* L) {
  check_study(L, 1);
  throw Error("", "a study can't be changed");
}

void show(lua_State* L, const Study& study) {
  const auto& table = study.table;
  if (!study.planned) return sandbox(L).print(table.text() + "\n");
  auto text = fmt::format("study {}: {} row{}, {} seed{}", table.name, table.rows.size(),
                          table.rows.size() == 1 ? "" : "s", table.seeds.size(), table.seeds.size() == 1 ? "" : "s");
  size_t tests = 0;
  for (const auto& contrast : table.contrasts) tests += contrast.figures.size();
  if (tests > 0) text += fmt::format(", {} differences to test", tests);
  actions(L).note(text);
  const auto kept = table.so_far();
  if (!kept.seeds.empty()) sandbox(L).print(kept.text() + "\n");
}

}  // namespace

int study(lua_State* L) {
  lua_settop(L, 1);
  auto declared = read_study(L);
  Conduct(L, declared).run_all();
  show(L, declared);
  size_t size = 4000;
  for (const auto& run : declared.runs) size += size_of(run);
  push_boxed<Study>(L, type, std::move(declared), size);
  return 1;
}

void open_studies(lua_State* L) {
  const luaL_Reg functions[] = {{"__index", bound<member>},
                                {"__newindex", bound<refuse_change>},
                                {"__tostring", bound<to_string>},
                                {nullptr, nullptr}};
  open_boxed<Study>(L, type, functions);
}

}  // namespace compeer::script
