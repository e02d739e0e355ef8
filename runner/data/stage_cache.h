#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "data/outcomes.h"

namespace compeer::data {

/// Output of a finished stage: two JSON Lines files and their statistics.
struct StageOutput {
  std::filesystem::path records, dropped;  ///< the files
  std::string sha256;                      ///< SHA-256 of the records' file
  Tally tally;
  nlohmann::json findings = nlohmann::json::object();  ///< Stage::findings
  nlohmann::json chats = nlohmann::json::object();     ///< result of StageLog::gather_chat_counts
  double seconds = 0;                                  ///< time it took to make; 0 if unknown
  bool reused = false;                                 ///< found in the cache
};

/// Cache of finished stages in `<folder>/<key>/`, where the key is a hash of everything the stage depends on. Stages
/// are added atomically, so that it contains complete ones only. Local; one rank uses it.
class StageCache {
 public:
  explicit StageCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Returns the stage, or nullopt. A stage that is incomplete or whose records do not match their hash is removed.
  std::optional<StageOutput> find(const std::string& key) const;

  /// Moves the folder `part`, with finished `records.jsonl` and `dropped.jsonl`, into the cache, and returns `made`
  /// with the new paths and the hash. `part` must be on the same file system. If another run has added the key
  /// meanwhile, its files are used. Throws Error (exit 1) if that fails.
  StageOutput put(const std::string& key, const std::filesystem::path& part, const StageOutput& made) const;

 private:
  std::filesystem::path folder_;
};

/// Makes a cached file available at `place`: as a hard link, or as a copy if that is impossible. Replaces `place`.
/// Throws Error (exit 1) if it can't be written.
void link_or_copy(const std::filesystem::path& kept, const std::filesystem::path& place);

/// The plugin of a stage or dataset, as a spec chooses it.
struct PluginChoice {
  std::string kind;      ///< "datasets" or "stages"
  std::string path;      ///< path of its table in the spec: "stages.2"
  nlohmann::json table;  ///< its settings, without the label
};

/// Returns the cache key of a stage: SHA-256 of everything it depends on. `spec_file`: contents of spec.json, for the
/// seed, the hashes of the plugins (with those that settings name), the hashes of files that settings name, and device
/// and precision. `input`: SHA-256 of the input records. `cache_key`: Stage::cache_key.
std::string stage_key(const nlohmann::json& spec_file, const PluginChoice& choice, const std::string& input,
                      const std::string& cache_key);

}  // namespace compeer::data
