#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "spec/catalog.h"
#include "spec/draft.h"

namespace compeer::spec {

/// The origin of values that pin_inputs() reads from files: pins, and texts of files.
inline constexpr const char* from_contents = "contents";

/// A run whose output a setting names: path = { run = "esc-world-sft" } (runs.h).
struct RunInput {
  std::string name;
  std::filesystem::path folder;  ///< folder of the run, which may not exist yet
  json values;                   ///< settings of the run: resolved, or unchecked as in its experiment file
  std::filesystem::path file;    ///< experiment or spec.json from which to make the run; empty if the caller made it
  bool finished = false;
};

/// A resolved spec: all settings of a run, with defaults filled in and every value checked and converted to its type.
struct Spec {
  json values;
  std::map<std::string, std::string> origins;  ///< path of each value -> origin; "default" if it was not given
  std::vector<PluginInfo> plugins;             ///< plugins that the task uses, each once
  std::map<std::string, std::string> sources;  ///< name -> text of the files from which the draft was made
  std::vector<std::string> paths;              ///< settings that are files or folders; empty after from_file_text()
  /// Settings whose value is the text of a file -> the setting that names the file; empty after from_file_text().
  std::map<std::string, std::string> texts;
  json history = json::array();          ///< changes to a run after it began (history.h)
  std::map<std::string, RunInput> runs;  ///< setting -> run that it names; empty after from_file_text()

  /// Returns the files and folders among `paths` that are pinned: setting -> value.
  std::map<std::string, std::string> files() const;

  /// Returns `values` as canonical JSON, the text that is hashed (see canonical_json in text.h).
  std::string canonical() const;
  /// Returns the SHA-256 of `canonical()`, which identifies the run.
  std::string sha256() const;
  /// Returns the contents of spec.json, with secrets in `sources` replaced by "[hidden]".
  std::string file_text() const;
  /// Inverse of `file_text`. Checks format and hash. Throws Error (exit 3) at `name` if the text is not a valid
  /// spec.json. Plugins have no `parameters`. If the version before wrote the text, settings are renamed (renamed.h),
  /// which changes the hash, and the history has an entry with both hashes.
  static Spec from_file_text(const std::string& text, const std::string& name = "spec.json");

  /// Returns a draft that resolves to the same spec. Pins and texts of files are left out; pin_inputs() reads them
  /// again.
  Draft draft() const;
  /// Returns TOML that resolves to the same spec, with the origins as comments if `with_origins`.
  std::string toml(bool with_origins = false) const;
};

/// Places in which runs that settings name are searched for.
struct RunPlaces {
  std::filesystem::path results = "results";  ///< folder with the folders of runs
  /// Returns a run that the caller has made or will make, or nothing. Called before any other place is searched.
  std::function<std::optional<RunInput>(const std::string& name)> made = nullptr;
  /// Gets a sentence for each finished run whose settings differ from those of its experiment now, and for each setting
  /// that is given by its name in the version before. May be null.
  std::function<void(const std::string& text)> note = nullptr;
};

/// Checks every key of a draft against the core schema and the plugins' descriptors and fills in defaults. The name of
/// a run is replaced by the path of its output. Throws one Error for all mistakes (the first 20 in full), each with
/// origin, offending text and nearest valid name. Its exit code is 3 if any is a mistake in the settings, otherwise
/// that of the first: 5 for a plugin's file, 4 for a model folder.
Spec resolve(const Draft& draft, const Catalog& catalog, const RunPlaces& places = {});

/// Checks a draft that is not complete yet: throws what `resolve` would throw, except that required keys may be missing
/// and named runs are not searched for.
void check(const Draft& draft, const Catalog& catalog);

/// Resolves the settings of a single plugin. The draft is the plugin's table: "plugin" and its settings. `values` of
/// the result is that table with defaults filled in; missing required keys are null. Throws Error as `resolve` does for
/// unknown keys, invalid values and named runs that are not in "results". Does not check for secrets.
Spec resolve_plugin(const Draft& draft, const std::string& kind, const Catalog& catalog);

/// Returns true if the file or folder `given`, the value of a setting, need not exist yet.
using MayBeMissing = std::function<bool(const std::string& given)>;

/// Finds every file and folder that the spec names and stores the hash of its contents (see `pin` in paths.h) in the
/// hashed values, inputs = {"model.path": "<pin>"}, so that a changed input changes the hash of the spec. A path that
/// exists only in $COMPEER_HOME becomes absolute. Sets the values in `texts` to the texts of their files. Throws Error
/// (exit 3) with the origins of paths that don't exist, except those that `may_miss` allows, which get no pin; Error
/// (exit 4) if the contents of one can't be read.
void pin_inputs(Spec& spec, const MayBeMissing& may_miss = nullptr);

/// Returns the spec of a run that is continued, with the present pins of its files and folders, and one entry in its
/// history (history.h) for each pin that has changed. `done`: steps of the checkpoint that the run continues from.
/// Texts of files stay as they were. Throws Error (exit 4) if a file or folder no longer exists.
Spec with_current_inputs(Spec spec, uint64_t done);

/// One setting that differs between two specs.
struct Difference {
  std::string path;
  json before, after;  ///< discarded (json::is_discarded) if the spec lacks the setting
  std::string before_origin, after_origin;
};

/// Returns the settings that differ, sorted by path. Lists of plain values are compared as a whole.
std::vector<Difference> diff(const Spec& before, const Spec& after);

/// Loads a draft from a TOML file, a resolved spec (spec.json) or the folder of a run and applies `sets`, the arguments
/// of `--set key=value`. Throws Error (exit 2) for other kinds of files, (exit 3) for invalid contents.
Draft load_draft(const std::string& file, const std::vector<std::string>& sets);

/// Returns `file` if its name ends in .json, FOLDER/spec.json if it is a folder, and nothing otherwise. The spec may
/// not exist.
std::optional<std::filesystem::path> recorded_spec(const std::string& file);

/// Reads a spec.json. Throws Error (exit 3) if it is missing or invalid, (exit 1) on an I/O error.
Spec read_spec(const std::filesystem::path& file);

/// How a run's models compute: settings of [model], or in a data run those of [data] for the models that stages use.
struct ComputeSettings {
  std::string table;                    ///< "model" or "data"
  std::string engine, compute, device;  ///< "exact" or "libtorch"; "float32" or "bfloat16"; "cpu", "cuda" or "auto"
};

/// Reads these settings from `values` of a spec. Model plugins without such settings get the defaults.
inline ComputeSettings compute_settings(const nlohmann::json& values) {
  const bool stages = values.value("task", "") == "data";
  const std::string table = stages ? "data" : "model";
  const auto own = values.value(table, nlohmann::json::object());
  return {table, own.value("engine", stages ? "libtorch" : "exact"), own.value("compute", "float32"),
          own.value("device", "cpu")};
}

}  // namespace compeer::spec
