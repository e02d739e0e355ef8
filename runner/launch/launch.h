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

/// Runs specs: each in its own folder, by `compeer-worker` alone or, with more than one rank, under mpirun. A run that
/// has finished is read back; one that was left unfinished goes on from its newest checkpoint.
struct LaunchOptions {
  std::filesystem::path results = "results";
  int jobs = 1;                ///< runs at the same time
  bool fresh = false;          ///< repeat runs; what there is of them is set aside
  bool quiet = false;          ///< no progress
  bool allow_changed = false;  ///< go on with runs although plugins or inputs are others than those the runs began with
};

/// What became of a run.
struct Launched {
  std::string name;
  std::filesystem::path folder;
  bool reused = false;         ///< it had finished before
  std::optional<Error> error;  ///< why it did not finish
  record::Summary summary;     ///< if it finished
};

/// Waits for all of them; a run that fails does not stop the others. The first SIGINT, SIGTERM or SIGHUP asks runs to
/// save a checkpoint and stop, the second, a second later or more, kills them; either ends in an Error. However this
/// returns, no process is left, not even one that a plugin put into a session of its own.
std::vector<Launched> launch(const std::vector<spec::Spec>& specs, const LaunchOptions& options);

/// The same for a run that exists, if its plugins lie where `plugins` are looked for: what a folder that came from
/// somebody else names is not loaded. `changes` give it more steps (spec::extended). Throws Error (exit 5) if plugins
/// lie elsewhere, (exit 3) for other changes, (exit 4) if a finished run has no checkpoint to go on from.
Launched resume(const std::filesystem::path& folder, const LaunchOptions& options,
                const plugin::Finder& plugins = plugin::Finder(), const std::vector<spec::Change>& changes = {});

/// The command that runs a folder's spec: `compeer-worker FOLDER [--resume]`, under mpirun if it has several ranks. The
/// worker is $COMPEER_WORKER, else the one beside this program. Throws Error if one of the two is missing.
std::vector<std::string> worker_command(const spec::Spec& spec, const std::filesystem::path& folder, bool resume);

/// What is added to its environment: threads as the spec has them, and what MPI needs here. What the user has set
/// stays.
std::vector<std::string> worker_environment(const spec::Spec& spec);

}  // namespace compeer::launch
