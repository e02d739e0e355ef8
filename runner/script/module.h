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

/// The module `compeer` (docs/lua.md). Three kinds of value: experiments, which are drafts of specs that never change;
/// results of runs; and lists of either, which are tables with methods.

namespace compeer::script {

using namespace lua;

/// Lets the sandbox's script `require "compeer"`.
void add_compeer(Sandbox& sandbox, std::shared_ptr<Actions> actions);

Actions& actions(lua_State* L);

/// Time spent by the front end on a script's behalf isn't the script's.
class OffTheClock {
 public:
  explicit OffTheClock(lua_State* L);
  ~OffTheClock();
  OffTheClock(const OffTheClock&) = delete;
  OffTheClock& operator=(const OffTheClock&) = delete;

 private:
  Budget& budget_;
};

// experiment.cpp

/// Checks what there is of the draft, at once, so that a mistake is told with the line that made it.
void push_experiment(lua_State* L, spec::Draft draft);
const spec::Draft& check_experiment(lua_State* L, int index);
const spec::Draft* to_experiment(lua_State* L, int index);  ///< nullptr for another kind of value
/// What would run: resolved, inputs found and pinned, with the script among its sources. Launches runs that its
/// settings name and that have not finished; throws the Error of one that fails.
spec::Spec resolve_experiment(lua_State* L, const spec::Draft& draft);
void open_experiments(lua_State* L);
int load(lua_State* L);        // compeer.load
int experiment(lua_State* L);  // compeer.experiment

// results.cpp

void push_result(lua_State* L, RunResult result);
const RunResult& check_result(lua_State* L, int index);
const RunResult* to_result(lua_State* L, int index);         ///< nullptr for another kind of value
std::vector<RunResult> results_at(lua_State* L, int index);  ///< of a list of results
size_t size_of(const RunResult& result);                     ///< about the bytes it takes
void open_results(lua_State* L);

// module.cpp

/// Launches and waits. What this script has launched before, and didn't fail, isn't launched again: the result is the
/// same. Throws only if everything is to end.
std::vector<RunResult> launch(lua_State* L, const std::vector<spec::Spec>& specs, int jobs);

/// The run in this folder of results, if this script has launched it and it didn't fail.
std::optional<spec::RunInput> launched_run(lua_State* L, const std::string& folder);

/// Ends a dry run where the script needs a number that only a run could give.
[[noreturn]] void end_dry_run(lua_State* L, const std::string& needs);

/// The name of a file. What the system would cut off, behind a NUL byte, is refused, as are other control characters.
std::string file_name(std::string_view text);

// The part of the module `compeer` that is written in Lua: prelude/*.lua. It is trusted: its globals are a table that
// scripts never see, with the primitives and copies of the standard library, so that a script which changes `string`
// or `_G` changes nothing here. Errors are raised by the primitive `refuse` and get the line of the script, because
// the texts have names that are no files.

struct PreludeText {
  const char* name;
  std::string_view text;
};

/// In the order in which they are run.
const std::vector<PreludeText>& prelude_texts();

/// Runs the prelude and pushes the module's table, which it has made.
void open_prelude(lua_State* L);

/// Adds the primitives to the table on top of the stack. A primitive gets arguments that the prelude has checked.
void add_primitives(lua_State* L);

// files.cpp: primitives that reach files

int report(lua_State* L);
int check_kept(lua_State* L);
int read_kept(lua_State* L);
int write_kept(lua_State* L);

}  // namespace compeer::script
