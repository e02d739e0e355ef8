#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

/// `rollouts/`: every token a run sampled, with its log-probability, text and value columns such as rewards.
/// Each rank writes its own files `rRRRR-SSSSSS.h5` (rank, first step in it), so no rank waits for another:
///
///   r0001-000040.h5.part   being written, or left by a crash of the process: readable, whole steps only
///   r0001-000040.h5        sealed: complete and compressed; only RolloutWriter::resume() cuts or removes it
///
/// The schema is in README.md.
namespace compeer::record {

/// One completion. Steps are counted from 1.
struct RolloutRow {
  uint64_t step = 0;
  uint64_t prompt = 0;      ///< index of the group within the step, over all ranks
  uint64_t completion = 0;  ///< index within the group
  // example_id, prompt_text and prompt_tokens are stored once per group, from its first row.
  std::string example_id;
  std::string prompt_text;
  std::vector<int32_t> prompt_tokens;
  std::string text;
  std::vector<int32_t> tokens;
  std::vector<float> logprobs;  ///< as many as tokens
  std::vector<double> values;   ///< one for each declared value column
  bool finished = false;        ///< ended by itself, not cut at the longest length allowed
};

/// Not thread-safe. Destroyed without finish(), it leaves what a crash would: a readable `.part` file.
class RolloutWriter {
 public:
  /// `folder` is the run's `rollouts` folder (made if absent). Value columns are named as in run.h5:
  /// "rewards/length/score", "redundancy/s_in", "advantage". A file is sealed after the step in which its estimated
  /// uncompressed size reaches `roll_bytes`.
  RolloutWriter(const std::filesystem::path& folder, int rank, std::vector<std::string> value_columns,
                uint64_t roll_bytes = uint64_t{256} << 20);
  RolloutWriter(RolloutWriter&&) noexcept;
  RolloutWriter& operator=(RolloutWriter&&) noexcept;
  ~RolloutWriter();

  /// Before the first append of a resumed run over `ranks` ranks: of this rank's files, drops all rows of steps after
  /// `last_step` (0 drops everything) and seals what a crash left open. If there were more ranks before, a file of old
  /// rank r is handled by rank r % ranks. If the process is killed in this call, it can be repeated.
  void resume(uint64_t last_step, int ranks);

  /// Appends all completions of one step on this rank: after a crash a step is there whole or not at all. The step must
  /// be greater than that of the last call. Without rows nothing is written. Throws Error: exit 1 for bad rows, 4 if
  /// the file exists or an earlier write failed.
  void append(const std::vector<RolloutRow>& rows);

  /// fsyncs everything appended so far, so that it survives a power failure. Takes some milliseconds.
  void sync();

  /// Seals the open file, if any. append() may follow and opens another.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A `.part` file that lacks completions of steps up to that of a checkpoint.
struct TornRollouts {
  std::filesystem::path file;
  uint64_t first_step = 0;
  std::string problem;  ///< why it can't be used: "can't be opened: file signature not found"
};

/// Reads the rollouts of a run over all ranks' files: sealed, crashed or live. Steps are those that were there when it
/// was constructed; the last step of a live run may lack ranks. Not thread-safe.
class RolloutReader {
 public:
  /// `run_folder` holds `rollouts/`; a run without rollouts has no steps. Steps after `last_step` are not read.
  explicit RolloutReader(const std::filesystem::path& run_folder, uint64_t last_step = UINT64_MAX);
  RolloutReader(RolloutReader&&) noexcept;
  RolloutReader& operator=(RolloutReader&&) noexcept;
  ~RolloutReader();

  std::vector<uint64_t> steps() const;  ///< rising
  const std::vector<std::string>& value_columns() const;
  /// All completions of a step, in the order of (prompt, completion); each with its group's prompt. Empty for an
  /// unknown step. Throws Error (exit 4) if a row is damaged.
  std::vector<RolloutRow> read(uint64_t step) const;
  /// The numbers of completions of every step, without reading texts or tokens.
  std::map<uint64_t, uint64_t> counts() const;

  /// The torn files of a run that trains and whose newest checkpoint is that of `last_step`. A power failure leaves
  /// none, since completions are made durable before the checkpoint; a disk that loses what it has confirmed may.
  static std::vector<TornRollouts> torn(const std::filesystem::path& run_folder, uint64_t last_step);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace compeer::record
