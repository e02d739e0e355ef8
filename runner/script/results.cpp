// Results of runs in Lua, and of stages of data runs.
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "lua/edge.h"
#include "lua/value.h"
#include "script/lookup.h"
#include "script/module.h"
#include "spec/runs.h"
#include "spec/text.h"

namespace compeer::script {

namespace {

constexpr const char* type = "result";

// Returns a metric of the run. Throws Error if the run failed or has no such metric. Ends the script in a dry run.
const Estimate& measured(lua_State* L, const RunResult& run, const std::string& name) {
  if (run.state == RunResult::State::planned) {
    if (!may_have(run, name)) refuse_metric(run, name, run.expected_metrics);
    end_dry_run(L, fmt::format("'{}' of run '{}'", name, run.name));
  }
  if (run.error) {
    throw Error("", fmt::format("run '{}' failed, so it has no '{}'", run.name, name),
                "the error was: " + run.error->problem());
  }
  return metric(run, name);
}

int interval(lua_State* L) {
  const auto& estimate = measured(L, check_result(L, 1), std::string(check_text(L, 2)));
  if (!estimate.has_interval()) return 0;
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

// Returns label and file name of each stage of a data run: {"judge", "05-judge"}. Throws Error for other runs.
std::vector<std::pair<std::string, std::string>> stages_of(const RunResult& run) {
  if (const auto* task = look(run.spec, "task"); !task || *task != "data")
    throw Error("", fmt::format("run '{}' has no stages", run.name), "only runs with task = \"data\" have stages");
  return spec::stage_names(run.spec);
}

void keep_of_stage(RunResult& run, const std::string& stage) {
  const auto elsewhere = [&](const std::string& name) { return !name.starts_with(stage + "/"); };
  std::erase_if(run.metrics, [&](const auto& metric) { return elsewhere(metric.first); });
  std::erase_if(run.expected_metrics, elsewhere);
  run.stage = stage;
}

// run:stage "judge": a result with the metrics and records of this stage only.
int stage(lua_State* L) {
  auto run = check_result(L, 1);
  const std::string asked(check_text(L, 2));
  std::vector<std::string> labels, found;
  for (const auto& [label, file] : stages_of(run)) {
    labels.push_back(label);
    if (asked == label || asked == file) found.push_back(file);
  }
  if (found.empty())
    throw Error("", fmt::format("run '{}' has no stage '{}'", run.name, asked), suggest(asked, labels));
  if (found.size() > 1) {
    throw Error("",
                fmt::format("run '{}' has {} stages '{}': {}", run.name, found.size(), asked, fmt::join(found, ", ")),
                "give each a different label in the spec, or use a name with its number");
  }
  keep_of_stage(run, found[0]);
  push_result(L, std::move(run));
  return 1;
}

std::string records(const RunResult& run) {
  return fmt::format("{}/stages/{}.jsonl", run.path, run.stage.empty() ? stages_of(run).back().second : run.stage);
}

int member(lua_State* L) {
  const auto& run = check_result(L, 1);
  const std::string name(check_text(L, 2));
  if (name == "interval") return lua_pushcfunction(L, bound<interval>), 1;
  if (name == "get") return lua_pushcfunction(L, bound<get>), 1;
  if (name == "stage") return lua_pushcfunction(L, bound<stage>), 1;
  if (name == "records") return push_json(L, records(run)), 1;
  if (name == "name") return push_json(L, run.name), 1;
  if (name == "path") return push_json(L, run.path), 1;
  if (name == "checkpoint") return push_json(L, run.path + "/" + spec::checkpoint_of(run.spec)), 1;
  if (name == "output") {  // { run = NAME }, for use as the value of a setting
    return push_json(L, {{"run", std::filesystem::path(run.path).filename().string()}}), 1;
  }
  const bool planned = run.state == RunResult::State::planned;
  const bool measures = name != "state" && name != "reused" && name != "stages" && name != "exit" && name != "error";
  if (planned && !measures) end_dry_run(L, fmt::format("'{}' of run '{}'", name, run.name));
  if (name == "state") return push_json(L, state_name(run.state)), 1;
  if (name == "reused") return push_json(L, run.reused), 1;
  if (name == "stages" && !run.stages.empty()) return push_json(L, run.stages), 1;
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

}  // namespace

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

std::vector<std::string> failures(const std::vector<RunResult>& runs) {
  std::vector<std::string> lines;
  for (const auto& run : runs) {
    if (!run.error) continue;
    const auto& what = run.error->problem();
    lines.push_back(fmt::format("{} failed (exit {}): {}", run.name, static_cast<int>(run.error->exit()),
                                spec::printable(what.substr(0, what.find('\n')), 200)));
  }
  return lines;
}

size_t size_of(const RunResult& result) { return 2000 + 4 * result.spec.dump().size() + 150 * result.metrics.size(); }

void push_result(lua_State* L, RunResult result) {
  const size_t size = size_of(result);
  push_boxed<RunResult>(L, type, std::move(result), size);
}

const RunResult& check_result(lua_State* L, int index) { return check_boxed<RunResult>(L, index, type); }

std::vector<RunResult> results_at(lua_State* L, int index) {
  std::vector<RunResult> results;
  for (lua_Integer i = 1; lua_rawgeti(L, index, i) != LUA_TNIL; ++i) {
    results.push_back(check_result(L, -1));
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return results;
}

const RunResult* to_result(lua_State* L, int index) { return test_boxed<RunResult>(L, index, type); }

void open_results(lua_State* L) {
  const luaL_Reg functions[] = {{"__index", bound<member>},
                                {"__newindex", bound<refuse_change>},
                                {"__tostring", bound<to_string>},
                                {nullptr, nullptr}};
  open_boxed<RunResult>(L, type, functions);
}

}  // namespace compeer::script
