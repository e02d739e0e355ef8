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

struct LaunchOptions {
  std::filesystem::path results = "results";
  int jobs = 1;                ///< maximum number of runs at the same time, at least 1
  bool fresh = false;          ///< repeat runs; what there is of them is set aside
  bool quiet = false;          ///< no progress lines; notes and warnings are still written
  bool allow_changed = false;  ///< go on with runs although plugins or inputs are others than those the runs began with
};

/// What became of a run.
struct Launched {
  std::string name;
  std::filesystem::path folder;  ///< empty if it could not be made
  bool reused = false;           ///< it had finished before
  std::optional<Error> error;    ///< why it did not finish
  record::Summary summary;       ///< if it finished
};

/// Runs each spec in its own folder and waits for all of them; a run that fails does not stop the others. A run that
/// has finished is read back; an unfinished one continues from its newest checkpoint. The first signal (process.h)
/// asks runs to save a checkpoint and stop, the second, a second later or more, kills them; then an Error is thrown
/// even if some runs have finished: exit 85 if stopped, 84 if a budget is spent, 1 if killed. On return no process is
/// left, not even one that a plugin put into a session of its own.
std::vector<Launched> launch(const std::vector<spec::Spec>& specs, const LaunchOptions& options);

/// Continues the run in `folder`. `changes` give it more steps (spec::extended). Each plugin that its spec.json names
/// must lie in a folder that `plugins` searches: the run may come from somebody else. Throws Error: exit 2 if `folder`
/// holds no run, 5 if a plugin lies elsewhere, 3 for other changes, 4 if a run has no checkpoint to continue from.
Launched resume(const std::filesystem::path& folder, const LaunchOptions& options,
                const plugin::Finder& plugins = plugin::Finder(), const std::vector<spec::Change>& changes = {});

/// The command that runs a folder's spec: `compeer-worker FOLDER [--resume]`, under mpirun if it has several ranks, or
/// under srun if $COMPEER_LAUNCHER is "srun". The worker is $COMPEER_WORKER, else the one beside this program. Throws
/// Error: exit 1 if mpirun or the worker beside this program is missing, 2 for an unknown launcher.
std::vector<std::string> worker_command(const spec::Spec& spec, const std::filesystem::path& folder, bool resume);

/// What is added to its environment: threads as the spec has them, and what MPI needs here. What the user has set
/// stays.
std::vector<std::string> worker_environment(const spec::Spec& spec);

}  // namespace compeer::launch
