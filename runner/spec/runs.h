#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "spec/spec.h"

namespace compeer::spec {

// An experiment is a TOML file with the settings of a run. A setting may name a run as its input,
// path = { run = "esc-world-sft" }: a run in the results folder, or an experiment from which it can be started.

/// Returns the label and the file name without ".jsonl" of a data run's dataset and then of each of its stages, such as
/// {"split", "06-split"} for the sixth. `values`: the run's settings, resolved or not.
std::vector<std::pair<std::string, std::string>> stage_names(const json& values);

/// Returns the checkpoint that other runs read, relative to the run's folder: "checkpoints/best" if the settings
/// `values` have validation that keeps the best checkpoint, otherwise "checkpoints/last".
std::string checkpoint_of(const json& values);

/// Returns the path to put in place of a setting that names a run: the run's folder if `want_folder`, otherwise its
/// output, which is the checkpoint of a training run or the last stage's records of a data run. The output need not
/// exist yet. Throws Error (exit 3) if runs with this task have no output.
std::string input_path(const RunInput& run, bool want_folder);

/// Returns the existing folders in which to search for an experiment that the setting `setting` ("model.path") names,
/// in this order: the folder of the TOML file or script in which the setting is written, the folders of the other files
/// from which the draft was read, and "experiments"; each relative folder also in $COMPEER_HOME.
std::vector<std::filesystem::path> experiment_folders(const Draft& draft, const std::string& setting);

/// Finds a run, or an experiment whose run has not been started, by name. Searches in this order: runs that the caller
/// made (`places.made`), finished runs in `places.results`, experiments in `folders` whose setting "name" is `name`,
/// unfinished runs in `places.results`. Throws Error (exit 3) if there is none, with the nearest name and invalid files
/// as help, and if two files of a folder have the name.
RunInput find_run(const std::string& name, const std::vector<std::filesystem::path>& folders, const RunPlaces& places);

/// Executes a run whose output another run reads (or, with --dry-run, plans it) and returns it. `why` names the run and
/// the setting that need it: "esc-world-sft (model.path) needs esc-world-base".
using MakeRun = std::function<RunInput(const Spec& run, const std::string& why)>;

/// Resolves a draft and pins its inputs, after passing to `make` the runs that it reads, directly or through other
/// runs, and that have not finished: in order of their dependencies, each once. `changes` are applied to those of them
/// that have not been started, not to `draft`. `may_miss`: as in `pin_inputs`. Throws Error (exit 3) if runs depend on
/// each other in a cycle, and whatever `make` throws.
Spec resolve_after_inputs(const Draft& draft, const Catalog& catalog, const RunPlaces& places, const MakeRun& make,
                          const MayBeMissing& may_miss = nullptr, const std::vector<Change>& changes = {});

}  // namespace compeer::spec
