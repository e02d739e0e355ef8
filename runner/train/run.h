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

namespace compeer::train {

class Training;

/// Collective; rank 0 writes. Saves weights, tokenizer, image settings, form.json, optimizer state, reference weights
/// and states of rewards in a new checkpoint folder of `run`, then removes old checkpoints (record::prune). There is no
/// other state, because random numbers are functions of the step.
void save_checkpoint(comm::World& world, const std::filesystem::path& run, uint64_t step, RunPlugins& plugins,
                     Training& training, uint64_t keep);

/// Decides when a checkpoint is due: every `checkpoint.every` steps, `checkpoint.minutes` minutes after the last one,
/// and after the last step. The time affects when a checkpoint is written, but not its contents.
class CheckpointSchedule {
 public:
  /// `settings`: the spec's table "checkpoint". `steps`: number of steps of the run.
  CheckpointSchedule(const Settings& settings, uint64_t steps);

  /// Collective. True if a checkpoint is due after `step`; rank 0's clock decides for all ranks.
  bool due(comm::World& world, uint64_t step) const;
  /// Call after a checkpoint was written: restarts the minutes.
  void written() { written_ = std::chrono::steady_clock::now(); }

 private:
  uint64_t steps_, every_;
  double minutes_;
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now();
};

/// The starting point of a run: a checkpoint, or the beginning.
struct Start {
  uint64_t step = 0;                 ///< step of the checkpoint; 0 if there is none
  std::filesystem::path folder;      ///< folder of the checkpoint; empty if there is none
  std::vector<std::string> skipped;  ///< rank 0: newer checkpoints that are unusable, with the reasons
};

/// Collective. Returns the newest usable checkpoint, which rank 0 determines: it is complete, run.h5 has the rows up to
/// its step, and the rollouts up to its step are readable. Returns step 0 unless `resume`, or if there are no
/// checkpoints. Removes unfinished checkpoints, renames torn rollout files and the checkpoints after them, and prints
/// warnings. `spec_file`: contents of spec.json. Throws Error (exit 4) if checkpoints exist but none is usable, or if
/// run.h5 belongs to another spec; existing results are then left as they are.
Start find_start(comm::World& world, const std::filesystem::path& run, bool resume, const nlohmann::json& spec_file);

class Records;
class Validation;

/// The state that all parts of a running task share.
struct RunContext {
  comm::World& world;
  comm::StopFlag& stop;             ///< raised when the run shall stop after the current step
  const nlohmann::json& spec_file;  ///< contents of spec.json
  std::filesystem::path folder;     ///< the run's folder
  Settings spec;                    ///< the resolved spec
  Start start;                      ///< the checkpoint from which the run was resumed
  std::unique_ptr<RunPlugins> plugins;

  uint64_t seed() const { return static_cast<uint64_t>(spec.integer("seed")); }
  std::unique_ptr<Journal> journal;  ///< null before open_journal
};

/// Collective. Opens `run.journal` and logs notes about skipped records, idle ranks and unusable checkpoints.
/// `columns`: metrics of a step. `values`: columns of a completion that are recorded, if rollouts are. `steps`: number
/// of steps of the run. `records`: the records that the task reads.
void open_journal(RunContext& run, const std::string& task, std::vector<std::string> columns,
                  std::vector<std::string> values, uint64_t steps, const std::vector<const Records*>& records);

/// Collective. Runs steps run.start.step + 1 ... `steps`, with journal, validation and checkpoints. Ends early if
/// validation does not improve. Writes a checkpoint and throws Error (exit 85) if `run.stop` is raised.
/// `step` runs one step and fills the row at least on rank 0. `logged` is called on rank 0 with each row that was
/// written to run.h5, before the checkpoint of its step; an error that it throws ends the run.
void train_loop(RunContext& run, Training& training, Validation& validation, uint64_t steps,
                const std::function<void(uint64_t, MetricRow&)>& step,
                const std::function<void(uint64_t, const MetricRow&)>& logged = nullptr);

/// Run the task of this name from `run.start` to its end. Collective.
void run_sft(RunContext& run);
void run_grpo(RunContext& run);
void run_evaluate(RunContext& run);

/// Estimate the memory of this rank in a run of this task, in MiB, without running a step. Collective.
double memory_of_sft(RunContext& run);
double memory_of_grpo(RunContext& run);
double memory_of_evaluate(RunContext& run);

}  // namespace compeer::train
