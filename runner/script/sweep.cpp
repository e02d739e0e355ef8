#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/hash.h"
#include "lua/edge.h"
#include "lua/value.h"
#include "script/changes.h"
#include "script/module.h"
#include "spec/dotted.h"
#include "spec/text.h"

namespace compeer::script {

namespace {

using spec::json;

constexpr const char* type = "runs";
constexpr size_t most_runs = 5'000, longest_name = 100;
constexpr int most_jobs = 256;

struct Axis {
  std::string path;
  json values;
};

std::vector<Axis> read_axes(lua_State* L, int index) {
  std::vector<Axis> axes;
  size_t runs = 1;
  const json values = to_json(L, index, "");
  for (const auto& [path, list] : values.items()) {
    if (!list.is_array() || list.empty()) {
      throw Error("", fmt::format("'{}' needs a list of values", path), fmt::format("[\"{}\"] = {{ 1, 2, 3 }}", path));
    }
    if (path == "name") throw Error("", "'name' can't be swept", "the names are made from the values");
    for (auto one = list.begin(); one != list.end(); ++one) {
      if (std::find(list.begin(), one, *one) != one)
        throw Error("", fmt::format("'{}' has the value {} twice", path, spec::show(*one)),
                    "runs with the same settings have the same bits: they are one run");
    }
    runs *= list.size();
    if (runs > most_runs) throw Error("", fmt::format("a sweep of more than {} runs", most_runs));
    axes.push_back({path, list});
  }
  return axes;
}

// "0.25", "redundancy"; for lists and tables the place in the axis.
std::string label(const json& value, size_t place) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object() && value.contains("plugin") && value["plugin"].is_string())
    return value["plugin"].get<std::string>();
  return value.is_structured() ? std::to_string(place + 1) : value.dump();
}

// What can't be in a name becomes '_'. Long names end in a part of their hash.
std::string plain(std::string name) {
  const std::string whole = name;
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-' && c != '_') c = '_';
  }
  if (name.size() > longest_name) name = name.substr(0, longest_name - 9) + "-" + sha256(whole).substr(0, 8);
  return name;
}

// The shortest end of the path that no other axis has: "alpha" of "reweighting.alpha".
std::string short_path(const std::string& path, const std::vector<Axis>& axes) {
  const auto last = [](const std::string& whole) { return whole.substr(whole.rfind('.') + 1); };
  for (const auto& axis : axes) {
    if (axis.path != path && last(axis.path) == last(path)) return path;
  }
  return last(path);
}

class SweepPlan {
 public:
  SweepPlan(lua_State* L, const spec::Draft& base, std::vector<Axis> axes)
      : L_(L), base_(base), axes_(std::move(axes)), written_(written_origins(L)) {
    const json name = base.values.value("name", json());
    if (!name.is_string()) throw Error("", "the base of a sweep needs a name", "base:with { name = \"...\" }");
    name_ = name.get<std::string>();
  }

  // Pushes the list of experiments: the last axis changes fastest.
  void push() {
    lua_newtable(L_);
    luaL_setmetatable(L_, type);
    walk(0, name_, {});
  }

 private:
  void walk(size_t axis, const std::string& name, const std::vector<spec::Change>& changes) {
    if (axis == axes_.size()) return add(name, changes);
    const auto& [path, values] = axes_[axis];
    for (size_t i = 0; i < values.size(); ++i) {
      auto more = changes;
      more.push_back({path, values[i], position(L_)});
      walk(axis + 1, fmt::format("{}-{}={}", name, short_path(path, axes_), label(values[i], i)), more);
    }
  }

  void add(const std::string& name, std::vector<spec::Change> changes) {
    std::string unique = plain(name);
    for (int i = 2; !names_.insert(unique).second; ++i) unique = plain(fmt::format("{}-{}", name, i));
    changes.push_back({"name", unique, position(L_)});
    auto draft = spec::with(base_, changes);
    refine_origins(L_, draft, written_);
    push_experiment(L_, std::move(draft));
    lua_rawseti(L_, -2, static_cast<lua_Integer>(lua_rawlen(L_, -2)) + 1);
  }

  lua_State* L_;
  const spec::Draft& base_;
  std::vector<Axis> axes_;
  std::map<std::string, std::string> written_;
  std::string name_;
  std::set<std::string> names_;
};

int read_jobs(lua_State* L, int index) {
  check_options(L, index, {"jobs"});
  const auto jobs = option(L, index, "jobs");
  if (jobs.is_null()) return 1;
  if (!jobs.is_number_integer() || jobs.get<int64_t>() < 1 || jobs.get<int64_t>() > most_jobs) {
    throw Error("", fmt::format("'jobs' is how many run at the same time, from 1 to {}", most_jobs));
  }
  return jobs.get<int>();
}

std::vector<RunResult> failed_of(std::vector<RunResult> runs) {
  std::erase_if(runs, [](const RunResult& run) { return !run.error; });
  return runs;
}

// runs:run { jobs = 1 }: everything is resolved before anything is launched.
int run(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  const int jobs = read_jobs(L, 2);
  std::vector<spec::Spec> specs;
  std::map<std::string, std::string> names;
  for (lua_Integer i = 1; lua_rawgeti(L, 1, i) != LUA_TNIL; ++i) {
    specs.push_back(resolve_experiment(L, check_experiment(L, -1)));
    const auto hash = specs.back().sha256();
    const auto [other, is_new] = names.emplace(specs.back().values.at("name").get<std::string>(), hash);
    if (!is_new && other->second == hash) throw Error("", fmt::format("'{}' is in the list twice", other->first));
    lua_pop(L, 1);
  }
  lua_settop(L, 2);
  auto done = specs.empty() ? std::vector<RunResult>() : launch(L, specs, jobs);
  actions(L).failed(failed_of(done));
  push_results(L, std::move(done));
  return 1;
}

int member(lua_State* L) {
  if (lua_isinteger(L, 2)) return lua_pushnil(L), 1;
  const std::string name(push_text(L, 2));
  if (name == "run") return lua_pushcfunction(L, bound<run>), 1;
  throw Error("", fmt::format("a list of experiments has no '{}'", name), suggest(name, {"run"}));
}

int to_string(lua_State* L) {
  lua_pushstring(L, fmt::format("{} experiments", lua_rawlen(L, 1)).c_str());
  return 1;
}

}  // namespace

int sweep(lua_State* L) {
  const auto& base = check_experiment(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  SweepPlan(L, base, read_axes(L, 2)).push();
  return 1;
}

int runs(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_newtable(L);
  luaL_setmetatable(L, type);
  for (lua_Integer i = 1; lua_geti(L, 1, i) != LUA_TNIL; ++i) {
    check_experiment(L, -1);
    lua_rawseti(L, -2, i);
  }
  lua_pop(L, 1);
  return 1;
}

void open_runs(lua_State* L) {
  luaL_newmetatable(L, type);
  const luaL_Reg functions[] = {{"__index", bound<member>}, {"__tostring", bound<to_string>}, {nullptr, nullptr}};
  luaL_setfuncs(L, functions, 0);
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
}

}  // namespace compeer::script
