#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "data/outcomes.h"

namespace compeer::data {

/// What a finished stage has left: two files of JSON lines, and what can be said of them.
struct Made {
  std::filesystem::path records, dropped;
  std::string sha256;  ///< of the records' file
  Tally tally;
  nlohmann::json findings = nlohmann::json::object();
  nlohmann::json chats = nlohmann::json::object();  ///< what was asked of chat models when it was made
  double seconds = 0;                               ///< that making it took
  bool reused = false;                              ///< found, not made by this run
};

/// Where finished stages are kept, under a key that names all they depend on: `<folder>/<key>/`. A stage is there whole
/// or not at all. Used by one rank.
class StageCache {
 public:
  explicit StageCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// A stage whose files are as they were when they were put here. One that has been changed since is removed.
  std::optional<Made> find(const std::string& key) const;

  /// Takes a folder on the same file system that holds `records.jsonl` and `dropped.jsonl`, written to the end.
  Made put(const std::string& key, const std::filesystem::path& part, const Made& made) const;

 private:
  std::filesystem::path folder_;
};

/// Puts a cached file where a run shows it: as a second name for it, or as a copy where there can be none.
void show(const std::filesystem::path& kept, const std::filesystem::path& place);

/// A stage of a spec, or its dataset: which plugin, with what settings.
struct PluginChoice {
  std::string kind;      ///< "datasets" or "stages"
  std::string path;      ///< where its table stands in the spec: "stages.2"
  nlohmann::json table;  ///< its settings, without the label
};

/// The name of what a stage makes: SHA-256 of all it depends on. `input`: the hash of the records that go in;
/// `ingredients`: what the plugin says it uses besides. `spec_file`: spec.json, for the seed, the hashes of the plugins
/// (those too that settings name) and the pins of the files they name.
std::string key_of(const nlohmann::json& spec_file, const PluginChoice& choice, const std::string& input,
                   const std::string& ingredients);

}  // namespace compeer::data
