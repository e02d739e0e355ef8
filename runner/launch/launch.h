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
  bool fresh = false;          ///< start runs over; files of earlier attempts are moved to another folder
  bool quiet = false;          ///< no progress lines; notes and warnings are still written
  bool allow_changed = false;  ///< continue runs whose plugins or inputs have changed since they began
};

/// Outcome of a run.
struct Launched {
  std::string name;
  std::filesystem::path folder;  ///< folder of the run; empty if it could not be created
  bool reused = false;           ///< the run had finished before and was not started
  std::optional<Error> error;    ///< why the run did not finish; empty if it finished
  record::Summary summary;       ///< only if it finished
};

/// Runs each spec in its own folder and waits for all of them. Returns one outcome per spec, in order; a failed run
/// does not stop the others. A finished run is not started again; an unfinished one continues from its newest
/// checkpoint. The first signal (Interrupts in process.h) asks runs to save a checkpoint and stop, a second one, at
/// least a second later, kills them. After a signal an Error is thrown even if some runs have finished: that of the
/// first run that stopped (exit 85, or 84 if its budget was spent), otherwise exit 85, or 1 if runs were killed. No
/// process of a run is left on return, not even one that a plugin has put into another session.
std::vector<Launched> launch(const std::vector<spec::Spec>& specs, const LaunchOptions& options);

/// Continues the run in `folder`. `changes` may raise its number of steps (spec::extended). Each plugin in its
/// spec.json must be in a folder that `plugins` searches, because the run may come from another person. Throws Error:
/// exit 2 if `folder` is not a run, 5 if a plugin is elsewhere, 3 for other changes, 4 if the run has no intact
/// checkpoint to continue from, or its inputs have changed and `options.allow_changed` is false.
Launched resume(const std::filesystem::path& folder, const LaunchOptions& options,
                const plugin::Finder& plugins = plugin::Finder(), const std::vector<spec::Change>& changes = {});

/// Returns the command that runs the spec in a folder: `compeer-worker FOLDER [--resume]` with `rank_launcher` and
/// `find_worker` (worker_program.h), whose Errors it throws.
std::vector<std::string> worker_command(const spec::Spec& spec, const std::filesystem::path& folder, bool resume);

/// Returns the variables to add to the worker's environment: `rank_environment` for the spec's ranks and threads.
std::vector<std::string> worker_environment(const spec::Spec& spec);

}  // namespace compeer::launch
