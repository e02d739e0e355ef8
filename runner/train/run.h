#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "comm/stop_flag.h"
#include "comm/world.h"
#include "train/metrics/checkpoints.h"
#include "train/metrics/clock.h"
#include "train/metrics/journal.h"
#include "train/run_plugins.h"
#include "train/update/training.h"

namespace compeer::train {

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
