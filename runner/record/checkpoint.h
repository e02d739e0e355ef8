#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

/// Checkpoints: `checkpoints/step-000120/` is a model folder that also contains optimizer state and state.json. It is
/// renamed to that name after all its bytes are on disk; `manifest.json` holds the size and SHA-256 of every file.
/// `checkpoints/last` is a symbolic link to the newest checkpoint, `checkpoints/best` to the best one by validation.
/// Everything here is local; only rank 0 writes.
namespace compeer::record {

/// Writer of one checkpoint. The destructor removes the folder unless it was committed.
class CheckpointWriter {
 public:
  /// Creates the folder `checkpoints/step-<step>.part`.
  CheckpointWriter(const std::filesystem::path& run_folder, uint64_t step);
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;
  ~CheckpointWriter();

  /// The folder to be filled by the caller, with any files but state.json and manifest.json.
  const std::filesystem::path& folder() const { return part_; }

  /// Writes state.json and manifest.json, flushes all files to disk, renames the folder and points `last` at it.
  /// Replaces an existing checkpoint of the same step. Returns the final folder.
  std::filesystem::path commit(const nlohmann::json& state);

 private:
  std::filesystem::path run_folder_, part_;
  uint64_t step_;
  bool committed_ = false;
};

/// A complete checkpoint.
struct Checkpoint {
  uint64_t step = 0;
  std::filesystem::path folder;
  nlohmann::json state;  ///< contents of state.json
};

/// Verifies a checkpoint folder against its manifest: sizes and SHA-256 of all files, and the step. Returns the first
/// problem, or "" if there is none. Throws Error (exit 1) if the disk fails.
std::string damage(const std::filesystem::path& checkpoint_folder);

/// Verifies only the model files of a checkpoint, which may have been moved or renamed. Returns the first problem, such
/// as "model.safetensors was modified after it was written: SHA-256 mismatch", or "" if there is none or `folder` has
/// no manifest.
std::string changed_model(const std::filesystem::path& folder);

/// Checkpoint folders of a run, newest first, complete or damaged; without those still being written.
std::vector<std::filesystem::path> checkpoint_folders(const std::filesystem::path& run_folder);

/// The step of a folder name such as "checkpoints/step-000120"; nullopt for other names and for those still being
/// written.
std::optional<uint64_t> step_of(const std::filesystem::path& checkpoint_folder);

/// Returns the newest undamaged checkpoint whose step is at most `rows`, the number of rows of run.h5; nullopt if there
/// is none. For each newer one that is skipped, appends a line to `problems`: "checkpoints/step-000120:
/// model.safetensors has 10 bytes, should have 4096".
std::optional<Checkpoint> newest_good(const std::filesystem::path& run_folder,
                                      std::vector<std::string>* problems = nullptr, uint64_t rows = UINT64_MAX);

/// Points the link ("last" or "best") at a checkpoint of the same run, atomically.
void point_at(const std::filesystem::path& checkpoint_folder, const std::string& link);

/// Renames all checkpoints after `step` from `step-000120` to `step-000120.torn`, and removes `last` if it points at
/// one of them. Returns their old names: "checkpoints/step-000120".
std::vector<std::string> set_checkpoints_aside(const std::filesystem::path& run_folder, uint64_t step);

/// Points `best` at the checkpoint of `step`; removes the link if there is no such checkpoint.
void point_best_at(const std::filesystem::path& run_folder, uint64_t step);

/// The target of the link `last` or `best`, whether or not it exists; an empty path if there is no such link.
std::filesystem::path pointed_at(const std::filesystem::path& run_folder, const std::string& link = "last");

/// Removes old checkpoints: keeps the newest `keep` (at least 1), counted from the target of `last`. Also keeps the
/// target of `best`, the newest undamaged one, and those newer than `last`, which were skipped when the run was
/// resumed.
void prune(const std::filesystem::path& run_folder, uint64_t keep);

/// Removes all `.part` files and folders that a killed run left in the run's folder and in `checkpoints`. To be called
/// at the start, when no other process writes. Rollouts are handled by RolloutWriter::resume.
void remove_unfinished(const std::filesystem::path& run_folder);

}  // namespace compeer::record
