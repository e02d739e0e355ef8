#pragma once
#include <memory>
#include <string>
#include <vector>

#include "launch/launch.h"
#include "launch/preflight.h"
#include "script/actions.h"
#include "spec/spec.h"

namespace compeer::launch {

/// What a script would run, followed as far as that goes without results of runs that have not finished.
struct Agenda {
  struct PlannedRun {
    spec::Spec spec;
    std::string waits_for;  ///< the experiment whose files it reads; empty: it is ready
  };
  std::vector<PlannedRun> entries;                                      ///< each spec once
  std::vector<std::pair<std::string, std::filesystem::path>> finished;  ///< names and folders
  size_t widest = 0;                                                    ///< the longest list that is run as one
  std::vector<std::string> notes;                                       ///< the last says why the script ended early
};

struct ScriptOptions {
  LaunchOptions launch;
  std::vector<spec::Change> changes;  ///< of the command line
  bool quick = false;
  bool dry_run = false;
  bool rehearsal = false;  ///< a dry run that says nothing: it only finds mistakes
  /// Makes a dry run one for a batch system: what has finished is read back, the rest written down here.
  std::shared_ptr<Agenda> agenda = nullptr;
  /// In a dry run: gets the runs that would begin.
  std::shared_ptr<Preview> preview = nullptr;
  /// Gets the runs that failed while the script went on.
  std::shared_ptr<std::vector<script::RunResult>> failed = std::make_shared<std::vector<script::RunResult>>();
};

/// What scripts may set in motion, done by the launcher and the report's writer.
std::shared_ptr<script::Actions> make_script_actions(ScriptOptions options);

/// One line about what `launch` would do with a spec: its name, hash, folder, and whether it starts, goes on or is
/// read back.
std::string plan(const spec::Spec& spec, const LaunchOptions& options);

/// The specs a script would launch, in order, as far as it gets without results of runs. No run is started and nothing
/// written, but plugins are opened (launch/preflight.h); what the script prints goes to standard error.
std::vector<spec::Spec> plan_script(const std::string& file, const std::vector<std::string>& sets);

}  // namespace compeer::launch
