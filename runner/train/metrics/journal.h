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

/// Writer of a run's records: run.h5, status.json and summary.json (rank 0) and rollouts (every rank). Every function
/// is local; those marked "Rank 0" do nothing on other ranks.
class Journal {
 public:
  struct Plan {
    std::filesystem::path folder;      ///< the run's folder
    std::string spec_text;             ///< contents of spec.json
    std::string task;                  ///< name of the task, for summary.json
    std::vector<std::string> columns;  ///< columns of run.h5, "step" first
    std::vector<std::string> values;   ///< columns of a completion in rollouts; empty: no rollouts are written
    uint64_t steps = 0;                ///< planned number of steps
    uint64_t done = 0;                 ///< number of completed steps to keep when a run is resumed; 0: new run
  };
  /// Creates the files, or, if `done` > 0, opens them and removes the records after step `done`. On rank 0 it logs
  /// changes of the spec and damaged rows.
  Journal(const comm::World& world, Plan plan);

  const std::vector<std::string>& columns() const { return plan_.columns; }

  /// Writes this rank's completions with the columns Plan::values.
  void rollouts(uint64_t step, const RunPlugins& plugins, const StepBatch& mine);

  /// Rank 0: writes the row of a finished step. The time this takes is included in "seconds/log" of the next row.
  void append(uint64_t step, MetricRow row);

  /// Rank 0: sets the current phase in status.json, which is written at most five times a second.
  void phase(const std::string& phase);

  /// Flushes rows and rollouts to disk, so that they survive a power failure. To be called on all ranks before a
  /// checkpoint.
  void sync();
  void event(uint64_t step, const std::string& text);    ///< Rank 0: adds an event to run.h5
  void note(uint64_t step, const std::string& text);     ///< Rank 0: the same, and prints it on standard error
  void warning(uint64_t step, const std::string& text);  ///< Rank 0: the same, as a warning

  /// Sets "data" in the details of summary.json: how many records were used or skipped.
  void set_data_summary(nlohmann::json data) { data_ = std::move(data); }

  /// Rank 0: records that the run ends after `step`, earlier than planned.
  void end_at(uint64_t step, const std::string& why);

  /// Closes this rank's rollouts. To be called on all ranks before any rank calls `finish`.
  void close_rollouts();
  /// Rank 0: writes summary.json, with means over the last 20 rows, which `estimates` replace by name; then
  /// stop("finished").
  void finish(const std::optional<std::map<std::string, statistics::Interval>>& estimates);
  /// Rank 0: closes run.h5 and writes status.json with this state.
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
  double appending_ = 0;  // seconds it took to write the last row
};

}  // namespace compeer::train
