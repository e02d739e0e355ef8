#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "spec/spec.h"

namespace compeer::spec {

/// The stages of a data run as its settings have them: labels and names of files, "split" and "06-split". The data set
/// is number 0.
std::vector<std::pair<std::string, std::string>> stage_names(const json& values);

/// The checkpoint that other runs read, below a run's folder: "checkpoints/last", or "checkpoints/best" if validation
/// keeps the best.
std::string checkpoint_of(const json& values);

/// The path that stands for a run in a setting: its folder, or in it the checkpoint of a run that trains, the records
/// of the last stage of a data run. Throws Error if it has neither.
std::string path_in(const RunInput& run, bool folder);

/// The folders whose experiments a setting of the draft may name: that of the file in which it is written, those of the
/// draft's TOML files, and "experiments"; each also in $COMPEER_HOME.
std::vector<std::filesystem::path> experiment_folders(const Draft& draft, const std::string& setting);

/// Finds a run by its name: one that the caller made, one that has finished in the folder of results, an experiment
/// in `folders` whose `name` it is, or a run that was begun. Throws Error with the nearest name.
RunInput find_run(const std::string& name, const std::vector<std::filesystem::path>& folders, const RunPlaces& places);

/// Makes a run that another one reads, or plans to, and returns where it is. `why` says who needs it:
/// "esc-world-sft (model.path) needs esc-world-base".
using MakeRun = std::function<RunInput(const Spec& run, const std::string& why)>;

/// The spec of a draft, with its inputs pinned. Runs that it names and that have not finished are made before, and
/// before them those that they name, each once. `changes`: for the experiments of these runs. Throws Error (exit 3) if
/// runs need each other, and what `make` throws.
Spec resolve_after_inputs(const Draft& draft, const Catalog& catalog, const RunPlaces& places, const MakeRun& make,
                          const MayMiss& may_miss = nullptr, const std::vector<Change>& changes = {});

}  // namespace compeer::spec
