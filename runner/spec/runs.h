#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "spec/spec.h"

// Dependencies between runs. An *experiment* is a TOML file with the settings of a run. A setting may name another run
// as its input, path = { run = "esc-world-sft" }. It means the output of a run in the results folder, or of a run that
// can be started from an experiment with this name. A *data run* makes a data set in several stages.

namespace compeer::spec {

/// Returns pairs (label, file name without ".jsonl") for the outputs of a data run: first its input dataset, then each
/// of its stages, such as {"split", "06-split"} for the sixth. `values`: the run's settings, with or without defaults.
std::vector<std::pair<std::string, std::string>> stage_names(const json& values);

/// Returns the path, relative to the folder of a training run, of the checkpoint that other runs read:
/// "checkpoints/best" if the run's settings `values` have validation that keeps the best checkpoint, otherwise
/// "checkpoints/last".
std::string checkpoint_of(const json& values);

/// Returns the path to put in place of a setting that names a run: the run's folder if `want_folder`, otherwise its
/// output, which is the checkpoint of a training run or the last stage's records of a data run. The output need not
/// exist yet. Throws Error (exit code 3: mistake in a spec) if runs with this task have no output.
std::string input_path(const RunInput& run, bool want_folder);

/// Returns the existing folders in which to search for an experiment that the setting `setting` ("model.path") names,
/// in this order: the folder of the TOML file or script in which the setting is written, the folders of the other files
/// from which the draft (the settings as written) was read, and "experiments"; each relative folder also in
/// $COMPEER_HOME.
std::vector<std::filesystem::path> experiment_folders(const Draft& draft, const std::string& setting);

/// Finds a run, or an experiment whose run has not been started, by name. Searches in this order: runs that the caller
/// made (`places.made`), finished runs in `places.results`, experiments in `folders` whose setting "name" is `name`,
/// unfinished runs in `places.results`. Throws Error (exit code 3) if there is none, with the nearest name and invalid
/// files as help, and if two files of a folder have the name.
RunInput find_run(const std::string& name, const std::vector<std::filesystem::path>& folders, const RunPlaces& places);

/// Function of the caller that executes a run, because another run reads its output (or only plans it, in a dry run),
/// and returns it. `why` names the run and the setting that need it: "esc-world-sft (model.path) needs esc-world-base".
using MakeRun = std::function<RunInput(const Spec& run, const std::string& why)>;

/// Returns the spec of the run that `draft` describes: checked, completed (`resolve`), with hashes of its inputs
/// (`pin_inputs`). First passes to `make` all unfinished runs that it reads, directly or through other runs: in order
/// of their dependencies, each once. `changes` are applied to those of them that have not been started, not to `draft`.
/// `places`: where named runs are searched for. `may_miss`: returns true for inputs that need not exist yet. Throws
/// Error (exit code 3) if runs depend on each other in a cycle, and all that `make` throws.
Spec resolve_after_inputs(const Draft& draft, const Catalog& catalog, const RunPlaces& places, const MakeRun& make,
                          const MayBeMissing& may_miss = nullptr, const std::vector<Change>& changes = {});

}  // namespace compeer::spec
