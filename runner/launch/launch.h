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

// Starts runs and waits for them; the front end's part of `compeer run` and `compeer resume`. A spec is the set of all
// settings of a run. A run is one execution of a spec by one or more processes, the ranks, which write their results
// into the run's folder. The worker is the program that each rank executes.

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
  std::string name;              ///< the spec's name
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
/// The first signal to stop (SIGINT, SIGTERM, SIGHUP, SIGUSR1 or SIGUSR2) asks runs to save a checkpoint and stop, a
/// second one, at least a second later, kills them. After a signal no outcomes are returned. Instead it throws an
/// Error: that of a run that has stopped (exit code 85: stopped by a signal; 84: its budget was spent at that moment),
/// or one with exit code 85 if no run was in progress, or with exit code 1 if runs were killed.
std::vector<Launched> launch(const std::vector<spec::Spec>& specs, const LaunchOptions& options);

/// Continues the run in `folder`. `changes`: changes of its settings; only a larger number of steps is allowed. Each
/// plugin in its spec.json must be in a folder that `plugins` searches, so that a run from another person can't execute
/// code of its own. Of `options` only `quiet` and `allow_changed` matter. Throws Error with exit code 2 if `folder` is
/// not a run, 5 if a plugin is elsewhere, 3 for other changes, 4 if the run has no intact checkpoint to continue from,
/// or its inputs have changed and `options.allow_changed` is false.
Launched resume(const std::filesystem::path& folder, const LaunchOptions& options,
                const plugin::Finder& plugins = plugin::Finder(), const std::vector<spec::Change>& changes = {});

/// Returns the command that runs the spec in `folder`, as words: mpirun or srun with its options if there are several
/// ranks, then the worker's path, the folder and, if `resume`, "--resume" to continue from a checkpoint. Throws Error
/// (exit code 1: other failure) if the worker or mpirun is missing.
std::vector<std::string> worker_command(const spec::Spec& spec, const std::filesystem::path& folder, bool resume);

/// Returns the variables to add to the environment of that command, as "NAME=VALUE": numbers of threads, settings of
/// malloc and of MPI.
std::vector<std::string> worker_environment(const spec::Spec& spec);

}  // namespace compeer::launch
