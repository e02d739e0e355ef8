#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

/// `rollouts/`: all completions (texts that a model generated for prompts) of a run, with tokens, log-probs, text and
/// value columns: numbers per completion, such as rewards. All completions of one prompt in one step form a group. Each
/// rank (process) of the run writes its own HDF5 files `rRRRR-SSSSSS.h5` (rank, first step in the file), independently
/// of other ranks:
///
///   r0001-000040.h5.part   being written, or left by a crash of the process: readable, complete steps only
///   r0001-000040.h5        sealed: complete and compressed; only RolloutWriter::resume() shortens or removes it
///
/// The schema is in README.md.
namespace compeer::record {

/// One completion, with its prompt.
struct RolloutRow {
  uint64_t step = 0;        ///< step of the run, from 1
  uint64_t prompt = 0;      ///< index of the group within the step, over all ranks
  uint64_t completion = 0;  ///< index within the group
  // The example id and the prompt are stored once per group, from its first row.
  std::string example_id;  ///< id of the data-set record that the prompt was made from
  std::string prompt_text;
  std::vector<int32_t> prompt_tokens;  ///< token ids of the prompt
  std::string text;                    ///< text of the completion
  std::vector<int32_t> tokens;         ///< token ids of the completion
  std::vector<float> logprobs;         ///< [token]: log-probability under the model that sampled it
  std::vector<double> values;          ///< [value column], in the order that the writer was given
  bool finished = false;               ///< false if it was truncated at the length limit
};

/// Writer of one rank's rollouts. Local: no communication with other ranks. Not thread-safe. If it is destroyed without
/// finish(), a readable `.part` file remains, as after a crash.
class RolloutWriter {
 public:
  /// `folder`: the run's `rollouts` folder, created if needed. `value_columns`: names such as "rewards/length/score",
  /// "redundancy/s_in", "advantage". A file is sealed, and the next one begun, after the step in which its estimated
  /// uncompressed size reaches `roll_bytes`.
  RolloutWriter(const std::filesystem::path& folder, int rank, std::vector<std::string> value_columns,
                uint64_t roll_bytes = uint64_t{256} << 20);
  RolloutWriter(RolloutWriter&&) noexcept;
  RolloutWriter& operator=(RolloutWriter&&) noexcept;
  ~RolloutWriter();

  /// Prepares the existing files of a resumed run, which has `ranks` ranks now; call it before the first append. Drops
  /// all rows after `last_step` (0 drops all rows) from this rank's files, and seals files that a crash left open. If
  /// the run had more ranks before, rank r % ranks handles the files of old rank r. If the process is killed in this
  /// call, the call can be repeated.
  void resume(uint64_t last_step, int ranks);

  /// Appends all completions of one step on this rank. After a crash the file contains the whole step or nothing of it.
  /// Steps must ascend from call to call. Does nothing without rows. Throws Error (exit code 1: a failure) for invalid
  /// rows and if a write fails, (exit code 4: unusable data) if the file exists or an earlier write failed.
  void append(const std::vector<RolloutRow>& rows);

  /// Flushes everything to disk, so that it survives a power failure. Takes some milliseconds.
  void sync();

  /// Seals the open file, if any. A later append() opens a new one.
  void finish();

 private:
  struct State;  ///< the constructor's arguments, the last step, and the open file
  std::unique_ptr<State> state_;
};

/// A damaged `.part` file: steps before a checkpoint are missing from it or unreadable.
struct TornRollouts {
  std::filesystem::path file;
  uint64_t first_step = 0;  ///< first step of the file
  std::string problem;      ///< the damage: "can't be opened: file signature not found"
};

/// Reader of the rollouts of a run, over the files of all ranks: sealed, being written, or left by a crash. A snapshot
/// of the steps at the time of construction; in the last step of a running run some ranks may be missing. Not
/// thread-safe.
class RolloutReader {
 public:
  /// `run_folder`: the folder that contains `rollouts/`; without the latter the reader has no steps. Steps after
  /// `last_step` are ignored. Throws Error (exit code 4) if a file is damaged or files have different value columns.
  explicit RolloutReader(const std::filesystem::path& run_folder, uint64_t last_step = UINT64_MAX);
  RolloutReader(RolloutReader&&) noexcept;
  RolloutReader& operator=(RolloutReader&&) noexcept;
  ~RolloutReader();

  std::vector<uint64_t> steps() const;                    ///< all steps that have completions, ascending
  const std::vector<std::string>& value_columns() const;  ///< names, in the order of RolloutRow::values
  /// Returns all completions of a step, ordered by (prompt, completion); each with its group's prompt. Empty for a step
  /// without completions. Throws Error (exit code 4) if a row is damaged.
  std::vector<RolloutRow> read(uint64_t step) const;
  /// Returns the number of completions of each step, over all ranks, without reading texts or tokens.
  std::map<uint64_t, uint64_t> counts() const;

  /// Returns the damaged `.part` files of a training run. `last_step`: step of its newest checkpoint; every file that
  /// starts at or before it must have all steps up to it. A power failure causes no such damage, because completions
  /// are flushed to disk before the checkpoint; a disk that loses confirmed writes may.
  static std::vector<TornRollouts> torn(const std::filesystem::path& run_folder, uint64_t last_step);

 private:
  struct State;  ///< value columns, the location of each step's rows, and a cache of open files
  std::unique_ptr<State> state_;
};

}  // namespace compeer::record
