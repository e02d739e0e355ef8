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

/// The Lua module `compeer` (docs/lua.md). It has three kinds of values: experiments, which are immutable drafts of
/// specs; results of runs; and lists of these, which are tables with methods. Functions that take a lua_State throw
/// Error or raise a Lua error; their C++ callers are wrapped in `bound` (lua/edge.h).

namespace compeer::script {

using namespace lua;

/// Makes the module available to the sandbox's script as `require "compeer"`. `actions` lives as long as the sandbox.
void add_compeer(Sandbox& sandbox, std::shared_ptr<Actions> actions);

/// Returns the actions that were passed to `add_compeer`.
Actions& actions(lua_State* L);

/// Scope in which CPU time does not count towards the script's limit, for work of the front end.
class BudgetPause {
 public:
  explicit BudgetPause(lua_State* L);
  ~BudgetPause();
  BudgetPause(const BudgetPause&) = delete;
  BudgetPause& operator=(const BudgetPause&) = delete;

 private:
  Budget& budget_;
};

// experiment.cpp

/// Checks the draft with spec::check, so that an error has the line of the script that made the mistake, and pushes it.
void push_experiment(lua_State* L, spec::Draft draft);
/// Returns the experiment at `index`. Raises a Lua error if it is another kind of value.
const spec::Draft& check_experiment(lua_State* L, int index);
const spec::Draft* to_experiment(lua_State* L, int index);  ///< the same, but nullptr for another kind of value
/// Returns the spec to run: resolved, with its inputs pinned and the script among its sources. First launches
/// unfinished runs that its settings name, and throws the Error of one that fails.
spec::Spec resolve_experiment(lua_State* L, const spec::Draft& draft);
/// Creates the metatable of experiments.
void open_experiments(lua_State* L);
int load(lua_State* L);        ///< the Lua function compeer.load
int experiment(lua_State* L);  ///< the Lua function compeer.experiment

// results.cpp

void push_result(lua_State* L, RunResult result);
/// Returns the result at `index`. Raises a Lua error if it is another kind of value.
const RunResult& check_result(lua_State* L, int index);
const RunResult* to_result(lua_State* L, int index);         ///< the same, but nullptr for another kind of value
std::vector<RunResult> results_at(lua_State* L, int index);  ///< the items of the list of results at `index`
size_t size_of(const RunResult& result);                     ///< approximate memory in bytes
/// Creates the metatable of results.
void open_results(lua_State* L);

// module.cpp

/// Launches runs and waits for them; returns one result per spec, in order. A spec that this script has launched before
/// is launched again only if it failed; otherwise its result is returned. If the launcher throws, the whole script ends
/// with that Error, which pcall can't catch.
std::vector<RunResult> launch(lua_State* L, const std::vector<spec::Spec>& specs, int jobs);

/// Returns the run whose folder has this name if this script has launched it and it did not fail.
std::optional<spec::RunInput> launched_run(lua_State* L, const std::string& folder);

/// Ends the script in a dry run, where it needs the number `needs` of a run that was not made.
[[noreturn]] void end_dry_run(lua_State* L, const std::string& needs);

/// Returns `text` as a file name. Throws Error (exit 3) if it has control characters, such as a NUL byte at which the
/// operating system would truncate it, or is not UTF-8.
std::string file_name(std::string_view text);

// The part of the module that is written in Lua: prelude/*.lua. Its globals are a table that scripts can't access, with
// the primitives and copies of the standard library. A script that changes `string` or `_G` therefore does not affect
// it. Errors are raised by the primitive `refuse` and have the line of the script, because the names of the prelude's
// texts are not files.

/// One source text of the prelude.
struct PreludeText {
  const char* name;
  std::string_view text;
};

/// Returns the texts in the order in which to run them.
const std::vector<PreludeText>& prelude_texts();

/// Runs the prelude and pushes the module's table.
void open_prelude(lua_State* L);

/// Adds the C++ functions that the prelude calls to the table on top of the stack. They rely on the prelude to check
/// their arguments.
void add_primitives(lua_State* L);

// files.cpp: primitives that read or write files

int report(lua_State* L);
int check_kept(lua_State* L);
int read_kept(lua_State* L);
int write_kept(lua_State* L);

}  // namespace compeer::script
