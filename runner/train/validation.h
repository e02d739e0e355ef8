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

namespace compeer::train {

/// The records that validation reads, or nothing if the spec wants none. `usable` without its split. Meets the other
/// ranks.
std::optional<Records> held_out_records(RunContext& run, Records::Wanted usable);

/// Whether lower values of the first of these metrics are better, as the spec's table `validation` says or as is known
/// of loss and rewards. Throws Error (exit 3) where it is not.
bool lower_is_better(const Settings& validation, const std::string& metric);

/// The spec's table `validation`: metrics on the same records every few steps while a model is trained; which step was
/// best; when to stop early. Its state is part of a checkpoint (Training::numbers).
class Validation {
 public:
  using Metrics = std::vector<std::pair<std::string, double>>;
  /// Metrics of the model as it is now, on rank 0. Meets the other ranks.
  using Measure = std::function<Metrics(uint64_t step)>;

  /// `known`: names of the metrics that `measure` gives; `usual` is the one that decides if the spec names none. Throws
  /// Error (exit 3) for a metric that isn't among them.
  Validation(RunContext& run, Training& training, uint64_t steps, const std::vector<std::string>& known,
             const std::string& usual, Measure measure);

  /// "validation/reward", ..., "seconds/validation"; none if the spec wants no validation.
  std::vector<std::string> columns() const;

  /// If a validation is due after this step, fills its columns on rank 0. True if no earlier one was better. Meets the
  /// other ranks.
  bool run_if_due(uint64_t step, MetricRow& row);

  /// For the log: "64 records of split 'valid' every 20 steps; higher reward is better"; "" without validation.
  std::string plan() const;

  bool keeps_best() const { return keeps_best_; }
  /// The best step so far; 0: none.
  uint64_t best() const;
  /// Whether the best validation lies as far back as the spec allows, after `step`.
  bool is_over(uint64_t step) const;

  /// In words: "no better validation/reward since step 40".
  std::string why_over() const;

  /// For summary.json: the columns as they were at the best step, and "validation/best_step".
  std::map<std::string, statistics::Interval> estimates() const;

 private:
  double& number(const std::string& name) const;
  bool better(double value) const;

  RunContext& run_;
  Training& training_;
  const uint64_t steps_, every_, patience_;
  std::vector<std::string> metrics_;
  bool lower_ = false, keeps_best_ = false;
  const Measure measure_;
};

}  // namespace compeer::train
