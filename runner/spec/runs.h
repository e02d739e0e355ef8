#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "spec/spec.h"

namespace compeer::spec {

/// Returns the label and the file name (without ".jsonl") of each stage of a data run: {"split", "06-split"}. Entry 0
/// is the dataset. `values` are the run's settings, resolved or not.
std::vector<std::pair<std::string, std::string>> stage_names(const json& values);

/// Returns the checkpoint that other runs read, relative to the run's folder: "checkpoints/best" if the settings
/// `values` turn validation on and it keeps the best checkpoint, otherwise "checkpoints/last".
std::string checkpoint_of(const json& values);

/// Returns the path that replaces the name of a run in a setting: the run's folder if `folder`, otherwise its output,
/// which is the checkpoint of a training run or the last stage's records of a data run. Throws Error (exit 3) if the
/// run has no such output.
std::string path_in(const RunInput& run, bool folder);

/// Returns the existing folders in which to search for an experiment that a setting of the draft names: the folder of
/// the TOML file or script in which the setting is written, the folders of the draft's sources, and "experiments". A
/// relative folder is also searched for in $COMPEER_HOME.
std::vector<std::filesystem::path> experiment_folders(const Draft& draft, const std::string& setting);

/// Finds a run by name. Searches in this order: runs that the caller made (`places.made`), finished runs in
/// `places.results`, experiments in `folders` with this `name`, unfinished runs in `places.results`. Throws Error
/// (exit 3), with the nearest name as help, if there is none.
RunInput find_run(const std::string& name, const std::vector<std::filesystem::path>& folders, const RunPlaces& places);

/// Makes a run whose output another run reads (or, in a dry run, plans it) and returns it. `why` names the run and the
/// setting that need it: "esc-world-sft (model.path) needs esc-world-base".
using MakeRun = std::function<RunInput(const Spec& run, const std::string& why)>;

/// Resolves a draft and pins its inputs. Unfinished runs that its settings name are made first by `make`, in order of
/// their dependencies, each once. `changes` are applied to the experiments of these runs, but not to runs that were
/// begun. `may_miss` is passed to `pin_inputs`. Throws Error (exit 3) if runs depend on each other in a cycle, and
/// whatever `make` throws.
Spec resolve_after_inputs(const Draft& draft, const Catalog& catalog, const RunPlaces& places, const MakeRun& make,
                          const MayMiss& may_miss = nullptr, const std::vector<Change>& changes = {});

}  // namespace compeer::spec
