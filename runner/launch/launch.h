#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "launch/progress.h"
#include "launch/run_folder.h"
#include "plugin/search.h"
#include "record/status.h"
#include "spec/spec.h"

namespace compeer::launch {

/// Options of `launch` and `resume`.
struct LaunchOptions {
  std::filesystem::path results = "results";  ///< folder in which the folders of runs are created
  int jobs = 1;                               ///< maximum number of runs at the same time, at least 1
  bool fresh = false;          ///< start runs over, finished ones too; existing folders are renamed (NAME~1)
  bool quiet = false;          ///< no progress lines; notes and warnings are still written
  bool allow_changed = false;  ///< continue runs whose plugins or inputs have changed since they began
};

/// Outcome of a run.
struct Launched {
  std::string name;
  std::filesystem::path folder;  ///< folder of the run; empty if it could not be created
  bool reused = false;           ///< the run had finished before and was not started
  std::optional<Error> error;    ///< why the run did not finish; empty if it finished
  record::Summary summary;       ///< metrics and costs; empty if the run did not finish
};

/// Runs each spec in its own folder and waits for all of them. Returns one outcome per spec, in order; a failed run
/// does not stop the others. A finished run is not started again unless `options.fresh`; an unfinished one continues
/// from its newest checkpoint. No process of a run is left on return, not even one that a plugin has put into another
/// session.
///
/// The first signal (Interrupts in process.h) asks runs to save a checkpoint and stop, a second one, at least a second
/// later, kills them. After a signal no outcomes are returned but an Error is thrown: that of a run that has stopped
/// (exit 85; 84 if its budget was spent at that moment), exit 85 if none had to, exit 1 if runs were killed.
std::vector<Launched> launch(const std::vector<spec::Spec>& specs, const LaunchOptions& options);

/// Continues the run in `folder`. The only change that `changes` may make is more steps (spec::extended). Each plugin
/// in its spec.json must be in a folder that `plugins` searches, so that a run from another person can't execute code
/// of its own. Of `options` only `quiet` and `allow_changed` matter. Throws Error: exit 2 if `folder` is not a run, 5
/// if a plugin is elsewhere, 3 for other changes, 4 if the run has no intact checkpoint to continue from, or its inputs
/// have changed and `options.allow_changed` is false.
Launched resume(const std::filesystem::path& folder, const LaunchOptions& options,
                const plugin::Finder& plugins = plugin::Finder(), const std::vector<spec::Change>& changes = {});

/// Returns the command that runs the spec in a folder: the words of `rank_launcher`, then `find_worker` FOLDER
/// [--resume] (worker_program.h). Throws their Errors.
std::vector<std::string> worker_command(const spec::Spec& spec, const std::filesystem::path& folder, bool resume);

/// Returns the variables to add to the worker's environment, as "NAME=VALUE": `rank_environment` for the spec's ranks
/// and threads.
std::vector<std::string> worker_environment(const spec::Spec& spec);

}  // namespace compeer::launch
