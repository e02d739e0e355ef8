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

/// The origin of a value that was found in a file the spec names.
inline constexpr const char* from_contents = "contents";

/// A run whose output a setting names: path = { run = "esc-world-sft" } (runs.h).
struct RunInput {
  std::string name;
  std::filesystem::path folder;  ///< where the run is, or will be
  json values;                   ///< its settings: resolved, or as its experiment file has them
  std::filesystem::path file;    ///< the experiment or spec.json by which it can be made; empty if the caller made it
  bool finished = false;
};

/// What will run, as finished data: every default filled in, every value checked, in its own type, with its origin.
struct Spec {
  json values;
  std::map<std::string, std::string> origins;  ///< path of every value -> origin; "default" where nobody said
  std::vector<PluginInfo> plugins;             ///< those the task uses, each once
  std::map<std::string, std::string> sources;  ///< texts it was made from
  std::vector<std::string> paths;              ///< which values are files or folders; empty in a spec read back
  std::map<std::string, std::string> texts;    ///< which values are to be the text of the file at another; likewise
  json history = json::array();                ///< changes to a run after it began (history.h)
  std::map<std::string, RunInput> runs;        ///< settings -> the runs that they name; empty in a spec read back

  /// Path -> file or folder, of those among `paths` whose inputs are pinned.
  std::map<std::string, std::string> files() const;

  /// Sorted keys, no white space, UTF-8, integers as integers, numbers as the shortest text that reads back (1.0).
  std::string canonical() const;
  /// SHA-256 of `canonical()`: the identity of the run.
  std::string sha256() const;
  /// The text of spec.json, and back. Reading checks format and hash and throws Error (exit 3, where = `name`).
  std::string file_text() const;
  static Spec from_file_text(const std::string& text, const std::string& name = "spec.json");

  /// As a draft that resolves to the same spec (inputs are left out: they are found again).
  Draft draft() const;
  /// As TOML with comments naming origins if asked; resolves to the same spec.
  std::string toml(bool with_origins = false) const;
};

/// Where the runs are that settings name.
struct RunPlaces {
  std::filesystem::path results = "results";
  /// Runs that the caller has made, or plans to make; looked at first.
  std::function<std::optional<RunInput>(const std::string& name)> made = nullptr;
};

/// Checks every key of a draft against the core schema and the plugins' descriptors and fills in defaults. A run that a
/// setting names becomes the path of its output. Collects up to 20 mistakes into one Error (exit 3; exit 5 if the only
/// trouble is a plugin's own file), each with origin, offending text and nearest valid name.
Spec resolve(const Draft& draft, const Catalog& catalog, const RunPlaces& places = {});

/// The same for a draft that isn't complete yet: throws what `resolve` would, except for keys that are missing and runs
/// that can't be found.
void check(const Draft& draft, const Catalog& catalog);

/// One plugin by itself: the draft is its own table, "plugin" and its settings. `values` is that table, with defaults
/// filled in; a key that is required and missing is null there. Throws what `check` would.
Spec resolve_plugin(const Draft& draft, const std::string& kind, const Catalog& catalog);

/// Whether a path that a spec names need not be there yet.
using MayMiss = std::function<bool(const std::string& given)>;

/// Finds every file and folder the spec names and writes what it found into the hashed values:
/// inputs = {"model.path": "<pin of it>"}, so that a changed input means another hash. A path found only under
/// $COMPEER_HOME becomes absolute. One that is not there is an Error (exit 3, with its origin), or is left unpinned.
/// A value that is the text of such a file is filled in, so that a run keeps what the file said when it was made.
void pin_inputs(Spec& spec, const MayMiss& may_miss = nullptr);

/// The spec of a run with the pins that its files and folders have now, and an entry in its history (history.h) for
/// each that differs. `done`: steps of the checkpoint that the run continues from. Throws Error (exit 4) that names one
/// that is gone.
Spec with_present_inputs(Spec spec, uint64_t done);

struct Difference {
  std::string path;
  json before, after;  ///< discarded where the key is not there
  std::string before_origin, after_origin;
};

/// Changed keys only, sorted by path. Specs of one task list each value; lists of values compare whole.
std::vector<Difference> diff(const Spec& before, const Spec& after);

/// What a file says, with the changes of `--set key=value`: a TOML file, a resolved spec (spec.json) or the folder of
/// a run. Scripts make their drafts themselves.
Draft load_draft(const std::string& file, const std::vector<std::string>& sets);

/// The resolved spec's file, if `file` is one or the folder of a run.
std::optional<std::filesystem::path> recorded_spec(const std::string& file);

/// Reads it; throws Error (exit 3) if it is none.
Spec read_spec(const std::filesystem::path& file);

/// How the models of a run compute: settings of its [model], or of [data] where stages ask them.
struct Computes {
  std::string table;  ///< "model", "data"
  std::string engine, compute, device;
};

/// `values`: a whole spec's. What models of one's own have no setting for is usual.
inline Computes computes(const nlohmann::json& values) {
  const bool stages = values.value("task", "") == "data";
  const std::string table = stages ? "data" : "model";
  const auto own = values.value(table, nlohmann::json::object());
  return {table, own.value("engine", stages ? "libtorch" : "exact"), own.value("compute", "float32"),
          own.value("device", "cpu")};
}

}  // namespace compeer::spec
