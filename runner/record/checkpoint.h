#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

/// Checkpoints of a run, from which training resumes. `checkpoints/step-000120/` is a model folder that also contains
/// optimizer state and state.json, the state of the run after that step. It is written as `step-000120.part` and
/// renamed after all its bytes are on disk; `manifest.json` contains the size and SHA-256 of every file.
/// `checkpoints/last` is a symbolic link to the newest checkpoint, `checkpoints/best` to the best one by validation.
///
/// Everything here is local, without communication between ranks; only rank 0 writes. `run_folder` is the folder that
/// contains `checkpoints`; `step` is a training step.
namespace compeer::record {

/// Writer of one checkpoint. The destructor removes the unfinished folder unless commit() has succeeded.
class CheckpointWriter {
 public:
  /// Creates the empty folder `checkpoints/step-<step>.part`; replaces one that a killed run left.
  CheckpointWriter(const std::filesystem::path& run_folder, uint64_t step);
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;
  ~CheckpointWriter();

  /// Returns the folder to be filled by the caller, with any files but state.json and manifest.json.
  const std::filesystem::path& folder() const { return part_; }

  /// Writes state.json (contents: `state`) and manifest.json, flushes all files to disk, renames the folder and points
  /// `last` at it. Replaces an existing checkpoint of the same step. Returns the final folder.
  std::filesystem::path commit(const nlohmann::json& state);

 private:
  std::filesystem::path run_folder_;
  std::filesystem::path part_;  ///< the unfinished folder, `step-<step>.part`
  uint64_t step_;
  bool committed_ = false;  ///< true once the folder has its final name
};

/// A complete checkpoint.
struct Checkpoint {
  uint64_t step = 0;
  std::filesystem::path folder;
  nlohmann::json state;  ///< contents of state.json
};

/// Verifies a checkpoint folder against its manifest: sizes and SHA-256 of all files, and the step in its name. Returns
/// the first problem, or "" if there is none. Throws Error (exit code 1: a failure of the system) if the disk fails.
std::string damage(const std::filesystem::path& checkpoint_folder);

/// Verifies the files of a checkpoint that belong to its model, not those needed only for resuming. `folder` may have
/// been moved or renamed. Returns the first problem, such as "model.safetensors was modified after it was written:
/// SHA-256 mismatch", or "" if there is none or `folder` has no manifest, such as a model from elsewhere. Throws Error
/// (exit code 4: invalid data) if manifest.json can't be parsed.
std::string changed_model(const std::filesystem::path& folder);

/// Returns the checkpoint folders of a run, newest first, whether or not they are damaged; without those still being
/// written.
std::vector<std::filesystem::path> checkpoint_folders(const std::filesystem::path& run_folder);

/// Returns the step in a folder name, 120 for "checkpoints/step-000120"; nullopt for other names, including those of
/// folders still being written.
std::optional<uint64_t> step_of(const std::filesystem::path& checkpoint_folder);

/// Returns the newest undamaged checkpoint with a step of at most `rows`; nullopt if there is none. `rows`: number of
/// rows of the log run.h5, which has one row per step and must have all steps before a checkpoint. For each newer
/// checkpoint that is skipped, appends a line to `problems`, unless that is null: "checkpoints/step-000120:
/// model.safetensors has 10 bytes, should have 4096".
std::optional<Checkpoint> newest_good(const std::filesystem::path& run_folder,
                                      std::vector<std::string>* problems = nullptr, uint64_t rows = UINT64_MAX);

/// Points the symbolic link `link` ("last" or "best"), next to the checkpoint, at `checkpoint_folder`. Atomic.
void point_at(const std::filesystem::path& checkpoint_folder, const std::string& link);

/// Renames all checkpoints after `step` from `step-000120` to `step-000120.torn`, so that the run resumes from an
/// earlier one, and removes `last` if it points at one of them. Returns their old names: "checkpoints/step-000120".
std::vector<std::string> set_checkpoints_aside(const std::filesystem::path& run_folder, uint64_t step);

/// Points `best` at the checkpoint of `step`; removes the link if there is no such checkpoint.
void point_best_at(const std::filesystem::path& run_folder, uint64_t step);

/// Returns the target of the symbolic link `last` or `best`, whether or not the target exists; an empty path if there
/// is no such link.
std::filesystem::path pointed_at(const std::filesystem::path& run_folder, const std::string& link = "last");

/// Removes old checkpoints. Keeps the newest `keep` (0 counts as 1), counted backwards from the target of `last`. Also
/// keeps the target of `best`, the newest undamaged one, and those newer than `last`, which were skipped when the run
/// was resumed.
void prune(const std::filesystem::path& run_folder, uint64_t keep);

/// Removes all `.part` files and folders that a killed run left in the run's folder and in `checkpoints`. To be called
/// at the start, when no other process writes. Does not change `rollouts`, where each rank repairs its own files.
void remove_unfinished(const std::filesystem::path& run_folder);

}  // namespace compeer::record
