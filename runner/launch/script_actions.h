#pragma once
#include <memory>
#include <string>
#include <vector>

#include "launch/launch.h"
#include "launch/preflight.h"
#include "script/actions.h"
#include "spec/spec.h"

// The part of Lua scripts that starts runs. A script describes experiments and calls `run`; the front end executes it
// for `compeer run FILE.lua`. A spec is the set of all settings of a run. A dry run executes the script without
// starting runs. A rehearsal is a silent dry run before the actual one, which finds mistakes early.

namespace compeer::launch {

/// The runs that a script would launch, up to the point where it needs a result of an unfinished run. `compeer submit`
/// makes jobs from them.
struct Agenda {
  /// A run that has not finished yet.
  struct PlannedRun {
    spec::Spec spec;
    std::string waits_for;  ///< name of the planned run whose files this one reads; empty if it can start at once
  };
  std::vector<PlannedRun> entries;                                      ///< unfinished runs, each spec once
  std::vector<std::pair<std::string, std::filesystem::path>> finished;  ///< names and folders of finished runs
  size_t largest_batch = 0;        ///< number of runs in the longest list that is launched at once
  std::vector<std::string> notes;  ///< messages of the script; the last says why it ended early, if it did
};

/// Options for running a script.
struct ScriptOptions {
  LaunchOptions launch;
  std::vector<spec::Change> changes;  ///< changes of settings on the command line (--set), for every experiment
  bool quick = false;                 ///< run the smallest form of the script (`--quick`)
  bool dry_run = false;               ///< start no run; print the runs that would start
  bool rehearsal = false;             ///< dry run without output, to find mistakes
  /// Only with `dry_run` or `rehearsal`. If set, results of finished runs are used, and the other runs are added here.
  std::shared_ptr<Agenda> agenda = nullptr;
  /// Only with `dry_run` or `rehearsal`. If set, the runs that would start are added here.
  std::shared_ptr<Preview> preview = nullptr;
  /// Names of runs that the script has not started yet: a rehearsal adds them, a launch removes them.
  std::shared_ptr<std::vector<std::string>> waiting = std::make_shared<std::vector<std::string>>();
  /// Failed runs that did not end the script are added here.
  std::shared_ptr<std::vector<script::RunResult>> failed_runs = std::make_shared<std::vector<script::RunResult>>();
};

/// Returns the implementation of the functions that a script can call: it launches runs and writes reports.
std::shared_ptr<script::Actions> make_script_actions(ScriptOptions options);

/// Returns a line about what `launch` would do with a spec: its name, hash, folder, and "starts", "resumes" or
/// "finished before".
std::string plan(const spec::Spec& spec, const LaunchOptions& options);

/// Returns the specs that a script would launch, in order, up to the point where it needs a result of a run. `sets` are
/// the arguments of `--set`. Starts no run and writes no file, but constructs plugins in another process, to find
/// errors. The script's output goes to standard error.
std::vector<spec::Spec> plan_script(const std::string& file, const std::vector<std::string>& sets);

}  // namespace compeer::launch
