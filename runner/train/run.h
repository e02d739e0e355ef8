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

/// Meets the other ranks; rank 0 writes. Weights, tokenizer, optimizer, reference, the form of examples; because random
/// numbers are functions of the step, the step is the rest of the state.
void save_checkpoint(comm::World& world, const std::filesystem::path& run, uint64_t step, RunPlugins& plugins,
                     Training& training, uint64_t keep);

/// When a checkpoint is due: every so many steps and after so many minutes, whichever comes first, and after the last
/// step. The clock decides when state is written, never what is in it.
class CheckpointTimes {
 public:
  /// `settings`: the table "checkpoint" of a spec. `steps`: of the run.
  CheckpointTimes(const Settings& settings, uint64_t steps);

  /// Whether one is due after `step`; rank 0's clock decides for all. Meets the other ranks.
  bool due(comm::World& world, uint64_t step) const;
  /// One was written: the minutes are counted from here.
  void written() { written_ = std::chrono::steady_clock::now(); }

 private:
  uint64_t steps_, every_;
  double minutes_;
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now();
};

/// Where a run begins.
struct Start {
  uint64_t step = 0;                     ///< its checkpoint's; 0: from the beginning
  std::filesystem::path folder;          ///< of the checkpoint
  std::vector<std::string> passed_over;  ///< rank 0: newer checkpoints that it can't go on from, and why
};

/// The newest checkpoint that a run can go on from, as rank 0 sees it, on all ranks: whole, and run.h5 has the rows of
/// its steps. Those passed over are told on standard error. `spec_file`: spec.json. Throws Error (exit 4) if none of
/// several is fit, and if run.h5 is of a spec that this run never had: from the beginning nothing is begun that would
/// replace what is there.
Start find_start(comm::World& world, const std::filesystem::path& run, bool resume, const nlohmann::json& spec_file);

class Records;
class Validation;

/// A task under way, as its steps see it.
struct RunContext {
  comm::World& world;
  comm::StopFlag& stop;
  const nlohmann::json& spec_file;
  std::filesystem::path folder;
  Settings spec;  ///< the resolved spec
  Start start;    ///< where it goes on
  std::unique_ptr<RunPlugins> plugins;

  uint64_t seed() const { return static_cast<uint64_t>(spec.integer("seed")); }
  std::unique_ptr<Journal> journal;
};

/// Opens the journal of a task whose steps log these columns, and that reads these records.
void open_journal(RunContext& run, const std::string& task, std::vector<std::string> columns,
                  std::vector<std::string> values, uint64_t steps, const std::vector<const Records*>& records);

/// Runs steps start + 1 ... steps: journal, validation, checkpoints, polite stop. `step` fills the row, on rank 0 at
/// least. `logged` is called on rank 0 with each row that was written to run.h5, before a checkpoint of its step; an
/// error that it throws ends the run.
void train_loop(RunContext& run, Training& training, Validation& validation, uint64_t steps,
                const std::function<void(uint64_t, MetricRow&)>& step,
                const std::function<void(uint64_t, const MetricRow&)>& logged = nullptr);

void run_sft(RunContext& run);
void run_grpo(RunContext& run);
void run_evaluate(RunContext& run);

/// MiB that a rank of such a run is estimated to take, before its first step.
double memory_of_sft(RunContext& run);
double memory_of_grpo(RunContext& run);
double memory_of_evaluate(RunContext& run);

}  // namespace compeer::train
