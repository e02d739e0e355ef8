#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "train/batch/records.h"
#include "train/metrics/metric_row.h"
#include "train/run.h"

// Validation on held-out records during training, and early stopping. The spec is the table of all settings of a run;
// its table `validation` has the schedule, the records and the metrics.

namespace compeer::train {

/// Collective. Selects the records for validation; nullopt if the spec has no validation. `usable`: the condition for
/// usable records; its split is replaced by that of the spec's table `validation`.
std::optional<Records> held_out_records(RunContext& run, Records::RecordFilter usable);

/// True if lower values of `metric` are better, as the setting `better` of the table `validation` decides. If it is
/// unset: true for "loss" and false for rewards; throws Error (exit code 3: wrong spec) for other metrics.
bool lower_is_better(const Settings& validation, const std::string& metric);

/// Periodic validation during training: measures metrics on a fixed set of records, remembers the step with the best
/// value, and decides about early stopping. Without validation in the spec it does nothing. Its state, the best step
/// and its metrics, is in Training::numbers, so that checkpoints contain it.
class Validation {
 public:
  using Metrics = std::vector<std::pair<std::string, double>>;  ///< names and values
  /// Collective callback. Returns the metrics of the current model; only rank 0's result is used. `step`: number of the
  /// training step that was just finished.
  using Measure = std::function<Metrics(uint64_t step)>;

  /// `steps`: number of steps of the run. `known`: names of the metrics that `measure` returns. `usual`: the metric to
  /// use if the spec names none. The first metric decides which step is best. Keeps references to `run` and `training`.
  /// Throws Error (exit code 3) if the spec names a metric that is not in `known`.
  Validation(RunContext& run, Training& training, uint64_t steps, const std::vector<std::string>& known,
             const std::string& usual, Measure measure);

  /// Names of its columns of run.h5: "validation/reward", ..., "seconds/validation". Empty without validation.
  std::vector<std::string> columns() const;

  /// Collective. Runs a validation and sets its columns if one is due after this step: every `validation.every` steps
  /// and after the last one. Returns true if its first metric is strictly better than at all earlier validations.
  bool run_if_due(uint64_t step, MetricRow& row);

  /// Returns a description for the log, such as
  /// "validation: at most 64 records of split 'valid' every 20 steps; higher reward is better". "" without validation.
  std::string plan() const;

  /// True if the spec asks to keep the checkpoint of the best step.
  bool keeps_best() const { return keeps_best_; }
  /// The best step so far; 0 if there is none.
  uint64_t best() const;
  /// True if training should stop after `step`, because the last `validation.patience` validations brought no
  /// improvement.
  bool is_over(uint64_t step) const;

  /// Reason for stopping early, for the log: "no better validation/reward since step 40".
  std::string why_over() const;

  /// Returns the metrics at the best step and "validation/best_step", for summary.json. Empty if there is no best step.
  std::map<std::string, statistics::Interval> estimates() const;

 private:
  double& number(const std::string& name) const;  // entry of Training::numbers; created as NaN if missing
  bool better(double value) const;                // true if `value` of the first metric is better than at the best step

  RunContext& run_;
  Training& training_;
  const uint64_t steps_;                     // number of steps of the run
  const uint64_t every_, patience_;          // settings of that name; 0: no validation, no early stopping
  std::vector<std::string> metrics_;         // names of the metrics to record; the first decides
  bool lower_ = false, keeps_best_ = false;  // lower values are better; the checkpoint of the best step is kept
  const Measure measure_;
};

}  // namespace compeer::train
