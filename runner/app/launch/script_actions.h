#pragma once
#include <memory>

#include "app/launch/launch.h"
#include "script/actions.h"

namespace compeer::app {

struct ScriptOptions {
  LaunchOptions launch;
  std::vector<spec::Change> changes;  ///< of the command line
  bool quick = false;
  bool dry_run = false;
  bool rehearsal = false;  ///< a dry run that says nothing: it only finds mistakes
  /// Gets the runs that failed while the script went on.
  std::shared_ptr<std::vector<script::RunResult>> failed = std::make_shared<std::vector<script::RunResult>>();
};

/// What scripts may set in motion, done by the launcher and the report's writer.
std::shared_ptr<script::Actions> make_script_actions(ScriptOptions options);

/// One line about what `launch` would do with a spec: its name, hash, folder, and whether it starts, goes on or is
/// read back.
std::string plan(const spec::Spec& spec, const LaunchOptions& options);

}  // namespace compeer::app
