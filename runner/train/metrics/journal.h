#pragma once
#include <chrono>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/world.h"
#include "record/rollout_file.h"
#include "record/run_file.h"
#include "record/status.h"
#include "train/batch/step_batch.h"
#include "train/metrics/metric_row.h"
#include "train/run_plugins.h"

namespace compeer::train {

/// What a run leaves behind while it goes on: run.h5, status.json and summary.json (rank 0), rollouts (every rank).
class Journal {
 public:
  struct Plan {
    std::filesystem::path folder;
    std::string spec_text;  ///< spec.json
    std::string task;
    std::vector<std::string> columns;  ///< of run.h5, "step" first
    std::vector<std::string> values;   ///< of rollouts: score columns, "advantage" last; empty: none are kept
    uint64_t steps = 0;                ///< planned
    uint64_t done = 0;                 ///< steps that stand, when a run goes on
  };
  Journal(const comm::World& world, Plan plan);

  const std::vector<std::string>& columns() const { return plan_.columns; }

  /// Records this rank's completions with the columns that the plan names.
  void rollouts(uint64_t step, const RunPlugins& plugins, const StepBatch& mine);

  /// Rank 0: a finished step. What writing its row takes is counted in "seconds/log" of the next.
  void append(uint64_t step, MetricRow row);

  /// Rank 0: the present phase, for status.json. Cheap: it is written at most five times a second.
  void phase(const std::string& phase);

  /// All ranks, before a checkpoint: rows and rollouts so far survive a power failure.
  void sync();
  void event(uint64_t step, const std::string& text);
  void note(uint64_t step, const std::string& text);     ///< rank 0: also on standard error
  void warning(uint64_t step, const std::string& text);  ///< rank 0: also on standard error

  /// Rank 0: how many records were used or not, for "data" in the details of summary.json.
  void set_data_summary(nlohmann::json data) { data_ = std::move(data); }

  /// Rank 0: the run ends after this step, before all that were planned.
  void end_at(uint64_t step, const std::string& why);

  /// All ranks, before `finish`, which may come only when all have done it: no rollouts will follow.
  void close_rollouts();
  /// All ranks; `estimates` replace the means over the last rows in summary.json.
  void finish(const std::optional<std::map<std::string, statistics::Interval>>& estimates);
  void stop(const std::string& state);

 private:
  void publish(bool now);
  std::map<std::string, statistics::Interval> recent_means() const;

  Plan plan_;
  std::optional<record::RunWriter> run_;
  std::optional<record::RolloutWriter> rollouts_;
  record::Status status_;
  nlohmann::json data_;
  std::deque<std::vector<double>> recent_;
  std::chrono::steady_clock::time_point start_, published_;
  double appending_ = 0;  // seconds that the last row took
};

}  // namespace compeer::train
