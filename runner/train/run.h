#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "comm/stop_flag.h"
#include "comm/world.h"
#include "train/metrics/journal.h"
#include "train/metrics/metric_row.h"
#include "train/run_plugins.h"
#include "train/update/training.h"

// The parts of a run that its tasks share: grpo, sft (supervised fine-tuning) and evaluate. A run is one process per
// rank with a common folder. Its spec is the table of all its settings; spec.json in the folder contains the spec, with
// hashes of its inputs. The policy is the model under training or evaluation. A step is one training step, or one batch
// of an evaluation.

namespace compeer::train {

class Training;

/// Collective; rank 0 writes. Saves weights, tokenizer, image settings, form.json (the prompt format that the data set
/// trains), optimizer state, reference weights (those at the start of the run) and learned states of rewards in a new
/// checkpoint folder for `step`, then removes old checkpoints. There is no other state, because random numbers are
/// functions of the step. `run`: the run's folder. `keep`: the setting checkpoint.keep, the number of checkpoints to
/// keep.
void save_checkpoint(comm::World& world, const std::filesystem::path& run, uint64_t step, RunPlugins& plugins,
                     Training& training, uint64_t keep);

/// Decides when a checkpoint is due: every `checkpoint.every` steps (if unset, about ten times in a run),
/// `checkpoint.minutes` minutes after the last one, and after the last step. The time affects when a checkpoint is
/// written, but not its contents.
class CheckpointSchedule {
 public:
  /// `settings`: the spec's table "checkpoint". `steps`: number of steps of the run.
  CheckpointSchedule(const Settings& settings, uint64_t steps);

  /// Collective. True if a checkpoint is due after `step`; rank 0's clock decides for all ranks.
  bool due(comm::World& world, uint64_t step) const;
  /// Call after a checkpoint was written: restarts the minutes.
  void written() { written_ = std::chrono::steady_clock::now(); }

 private:
  uint64_t steps_, every_;  // number of steps of the run; steps between two checkpoints, 0: only by time
  double minutes_;          // minutes between two checkpoints; 0: only by steps
  // Time of the last checkpoint, at first of the construction.
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now();
};

/// The point at which this process starts or resumes a run: a checkpoint, or the beginning.
struct Start {
  uint64_t step = 0;             ///< step of the checkpoint; 0 if there is none
  std::filesystem::path folder;  ///< folder of the checkpoint; empty if there is none
  /// Rank 0: newer checkpoints that are unusable, and damaged rollout files, each with the reason.
  std::vector<std::string> skipped;
};

/// Collective. Returns the newest usable checkpoint, which rank 0 determines: it is complete, run.h5 has the rows up to
/// its step, and the rollouts (files of completions) up to its step are readable. Returns step 0 unless `resume`, or if
/// there are no checkpoints. Removes unfinished checkpoints, renames torn (incompletely written) rollout files and the
/// checkpoints after them, and prints warnings. `run`: the run's folder. `spec_file`: contents of spec.json. Throws
/// Error (exit code 4: unusable data) if checkpoints exist but none is usable, or if run.h5 belongs to another spec;
/// existing results are then left as they are.
Start find_start(comm::World& world, const std::filesystem::path& run, bool resume, const nlohmann::json& spec_file);

class Records;
class Validation;

/// The state that all parts of a running task share. The owner of the references must outlive it.
struct RunContext {
  comm::World& world;
  comm::StopFlag& stop;             ///< raised when the run shall stop after the current step
  const nlohmann::json& spec_file;  ///< contents of spec.json
  std::filesystem::path folder;     ///< the run's folder
  Settings spec;                    ///< the spec, with all defaults filled in
  Start start;                      ///< the checkpoint from which the run was resumed
  std::unique_ptr<RunPlugins> plugins;

  /// Seed of all random numbers of the run.
  uint64_t seed() const { return static_cast<uint64_t>(spec.integer("seed")); }
  std::unique_ptr<Journal> journal;  ///< writer of the run's records; null before open_journal
};

/// Collective. Opens `run.journal` and logs notes about skipped records, ranks without work and unusable checkpoints.
/// `task`: name of the task, "grpo". `columns`: names of a step's metrics, the columns of run.h5 after "step".
/// `values`: names of the numbers that rollouts record for each completion; ignored if the spec turns rollouts off.
/// `steps`: number of steps of the run. `records`: the records that the task reads, one entry per split.
void open_journal(RunContext& run, const std::string& task, std::vector<std::string> columns,
                  std::vector<std::string> values, uint64_t steps, const std::vector<const Records*>& records);

/// Collective. Runs the training steps run.start.step + 1 ... `steps`, with journal, validation and checkpoints. Ends
/// early if validation does not improve. If `run.stop` is raised, writes a checkpoint after the current step and throws
/// Error (exit code 85: stopped, can be resumed). `step(t, row)` runs step t and sets the metrics in `row`, at least on
/// rank 0. `logged(t, row)`, if set, is called on rank 0 with each row that was written to run.h5, before the
/// checkpoint of its step; an error that it throws ends the run.
void train_loop(RunContext& run, Training& training, Validation& validation, uint64_t steps,
                const std::function<void(uint64_t, MetricRow&)>& step,
                const std::function<void(uint64_t, const MetricRow&)>& logged = nullptr);

/// Collective. Run a task from `run.start` to its end: supervised fine-tuning, GRPO training, or evaluation of a model
/// by sampling and scoring completions.
void run_sft(RunContext& run);
void run_grpo(RunContext& run);
void run_evaluate(RunContext& run);

/// Collective. Return the estimated peak memory of this rank in a run of this task, in MiB, without running a step.
double memory_of_sft(RunContext& run);
double memory_of_grpo(RunContext& run);
double memory_of_evaluate(RunContext& run);

}  // namespace compeer::train
