#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

/// `checkpoints/step-000120/`: a model folder with optimizer and state beside the weights. It appears whole, by a
/// rename, after all of its bytes are on the disk; `manifest.json` holds every file's size and SHA-256.
/// `checkpoints/last` is a symbolic link to the newest, `checkpoints/best` to the one that validation found best. Rank
/// 0 alone writes.
namespace compeer::record {

/// Fills a folder and makes it a checkpoint. Destroyed without commit(), the folder is removed.
class CheckpointWriter {
 public:
  CheckpointWriter(const std::filesystem::path& run_folder, uint64_t step);
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;
  ~CheckpointWriter();

  /// `checkpoints/step-000120.part`, empty, to be filled with anything but state.json and manifest.json.
  const std::filesystem::path& folder() const { return part_; }

  /// Writes state.json and manifest.json, makes all durable, puts the folder in its place and points `last` at it.
  /// Returns the final folder. A checkpoint of the same step that is there is replaced.
  std::filesystem::path commit(const nlohmann::json& state);

 private:
  std::filesystem::path run_folder_, part_;
  uint64_t step_;
  bool committed_ = false;
};

struct Checkpoint {
  uint64_t step = 0;
  std::filesystem::path folder;
  nlohmann::json state;  ///< state.json
};

/// What is wrong with a checkpoint folder, or "" if each file has the size and hash of the manifest.
std::string damage(const std::filesystem::path& checkpoint_folder);

/// What was changed, since a checkpoint was written, of the files that make it a model, wherever the folder is by now:
/// "model.safetensors has other contents than were written"; "" if nothing was, or if it is no checkpoint.
std::string changed_model(const std::filesystem::path& folder);

/// Folders `step-*` of a run, whole or not, newest first; not those still being written.
std::vector<std::filesystem::path> checkpoint_folders(const std::filesystem::path& run_folder);

/// The step of "checkpoints/step-000120"; nothing for other names, as of those still being written.
std::optional<uint64_t> step_of(const std::filesystem::path& checkpoint_folder);

/// The newest checkpoint whose files are all as written and whose steps are among the first `rows`. For each newer one
/// that is passed over, a line is added to `problems`: "checkpoints/step-000120: model.safetensors has 10 bytes, should
/// have 4096".
std::optional<Checkpoint> newest_good(const std::filesystem::path& run_folder,
                                      std::vector<std::string>* problems = nullptr, uint64_t rows = UINT64_MAX);

/// Points `last` or `best` at one of a run's checkpoints, unless it does so already: a kill may have come before that.
void point_at(const std::filesystem::path& checkpoint_folder, const std::string& link);

/// Renames all checkpoints of steps after `step`, as `step-000120` to `step-000120.torn`, and removes `last` if it
/// points at one of them. Returns the names that they had: "checkpoints/step-000120".
std::vector<std::string> set_checkpoints_aside(const std::filesystem::path& run_folder, uint64_t step);

/// Points `best` at the checkpoint of a step; removes the link if there is no such checkpoint.
void point_best_at(const std::filesystem::path& run_folder, uint64_t step);

/// The folder that `last` or `best` points at, whether or not it is there; empty: there is no such link.
std::filesystem::path pointed_at(const std::filesystem::path& run_folder, const std::string& link = "last");

/// Removes all but the newest `keep` (at least 1), counted from the one that `last` points at. That one, the one that
/// `best` points at and the newest good one stay in any case, and so do newer ones, which the run passed over when it
/// was resumed.
void prune(const std::filesystem::path& run_folder, uint64_t keep);

/// Removes folders and small files that a killed run left half written (rollouts are their writers' affair). Call it at
/// the start, when no other process writes.
void remove_unfinished(const std::filesystem::path& run_folder);

}  // namespace compeer::record
