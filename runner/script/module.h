#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lua/edge.h"
#include "script/actions.h"
#include "spec/draft.h"
#include "spec/spec.h"

struct lua_State;

// The Lua module `compeer`, with which scripts describe, launch and compare runs. It has three kinds of values:
// experiments, which are immutable drafts of specs (a draft is the settings of a run as written, a spec all settings
// with defaults); results of runs; and lists of these, which are Lua tables with methods.
//
// Functions that take a lua_State throw Error or raise a Lua error; the functions registered with Lua are wrapped in
// lua::bound, which turns an Error into a Lua error. `index` is an index into the Lua stack.

namespace compeer::script {

using namespace lua;

/// Makes the module available to the sandbox's script as `require "compeer"`. `actions` does everything outside of the
/// interpreter, such as launching runs; it is kept as long as the sandbox.
void add_compeer(Sandbox& sandbox, std::shared_ptr<Actions> actions);

/// Returns the actions that were passed to `add_compeer`.
Actions& actions(lua_State* L);

/// While it exists, CPU time does not count towards the script's limit, for work of the program such as launching runs.
/// Objects must not be nested.
class BudgetPause {
 public:
  explicit BudgetPause(lua_State* L);
  ~BudgetPause();
  BudgetPause(const BudgetPause&) = delete;
  BudgetPause& operator=(const BudgetPause&) = delete;

 private:
  Budget& budget_;  // the script's resource limits and use
};

// Experiments (experiment.cpp)

/// Checks the draft (unknown keys, invalid values), so that an error has the line of the script that made the mistake,
/// and pushes it onto the stack as an experiment.
void push_experiment(lua_State* L, spec::Draft draft);
/// Returns the experiment at `index`. Raises a Lua error if it is another kind of value.
const spec::Draft& check_experiment(lua_State* L, int index);
/// Returns the experiment at `index`, or nullptr if it is another kind of value.
const spec::Draft* to_experiment(lua_State* L, int index);
/// Returns the spec of the run that the draft describes: defaults filled in, hashes of input files added, and the text
/// of the script among its sources. First launches unfinished runs whose output its settings name, and throws the Error
/// of a run that fails.
spec::Spec resolve_experiment(lua_State* L, const spec::Draft& draft);
/// Creates the metatable of experiments, with their methods.
void open_experiments(lua_State* L);
int load(lua_State* L);        ///< the Lua function compeer.load(file): an experiment from a TOML file
int experiment(lua_State* L);  ///< the Lua function compeer.experiment(table): an experiment from a Lua table

// Results of runs (results.cpp)

/// Pushes the result onto the stack as a Lua value.
void push_result(lua_State* L, RunResult result);
/// Returns the result at `index`. Raises a Lua error if it is another kind of value.
const RunResult& check_result(lua_State* L, int index);
/// Returns the result at `index`, or nullptr if it is another kind of value.
const RunResult* to_result(lua_State* L, int index);
/// Returns the items of the Lua list of results at `index`.
std::vector<RunResult> results_at(lua_State* L, int index);
/// Returns the approximate memory of a result in bytes, which counts towards the script's memory limit.
size_t size_of(const RunResult& result);
/// Creates the metatable of results, with their fields and methods.
void open_results(lua_State* L);

// Launching (module.cpp)

/// Launches one run per spec, at most `jobs` at the same time, and waits for them; returns one result per spec, in
/// order. A spec that this script has launched before is launched again only if it failed; otherwise its first result
/// is returned. If Actions::launch throws, the whole script ends with that Error, which pcall can't catch.
std::vector<RunResult> launch(lua_State* L, const std::vector<spec::Spec>& specs, int jobs);

/// Returns the run whose folder has the name `folder` if this script has launched it and it did not fail, otherwise
/// nothing. Settings of other experiments can name it as an input.
std::optional<spec::RunInput> launched_run(lua_State* L, const std::string& folder);

/// Ends a script in a dry run, because it needs a result of a run that was not started. `needs` describes the result
/// for the note to the user: "'reward' of run 'alpha-0.5'".
[[noreturn]] void end_dry_run(lua_State* L, const std::string& needs);

/// Returns `text`, a file name given by a script. Throws Error (exit code 3: mistake in a script) if it has control
/// characters, such as a NUL byte at which the operating system would truncate it, or is not UTF-8.
std::string file_name(std::string_view text);

// The prelude: the part of the module that is written in Lua (prelude/*.lua, compiled into the program). Its globals
// are a table that scripts can't access, with *primitives* (C++ functions for the prelude only) and copies of the
// standard library. A script that changes `string` or `_G` therefore does not affect it. Errors are raised by the
// primitive `refuse` and have the line of the script, because the names of the prelude's texts are not files.

/// One source text of the prelude.
struct PreludeText {
  const char* name;  ///< name for Lua: "compeer/core.lua"
  std::string_view text;
};

/// Returns the source texts of the prelude in the order in which to run them.
const std::vector<PreludeText>& prelude_texts();

/// Runs the prelude and pushes the table that `require "compeer"` returns.
void open_prelude(lua_State* L);

/// Adds the primitives to the table on top of the stack. They rely on the prelude to check their arguments.
void add_primitives(lua_State* L);

// Primitives that read or write files (files.cpp), as Lua functions. The last three store the figures of a study, one
// file per seed, so that a study can be run in parts. `rows` is { row = { title = number } }; NaN: no value.

/// report { title, output, runs, table, comparison, frontiers }: writes an HTML report. Throws Error unless `output` is
/// an .html file below the current folder or the folder of runs.
int report(lua_State* L);
/// check_kept(folder): throws Error unless the folder, where figures are to be stored, is below the current one.
int check_kept(lua_State* L);
/// read_kept(file, study, seed) -> rows: the figures stored in the file; empty if there is no file. Throws Error (exit
/// code 4: unusable data) if the file belongs to another study or seed.
int read_kept(lua_State* L);
/// write_kept(file, study, seed, rows): stores figures in the file. Does nothing in a dry run.
int write_kept(lua_State* L);

}  // namespace compeer::script
