#pragma once
#include <string>
#include <vector>

#include "report/runs/run_data.h"

namespace compeer::report {

/// Which direction is better, where that is known.
enum class Better { unknown, higher, lower };

/// What a metric belongs to; the order of the page.
enum class Topic { reward, validation, redundancy, diversity, optimisation, timing, other };

/// What a reader should know about a column of run.h5.
struct Metric {
  std::string name;   ///< "rewards/esc_world_truth/quality"
  std::string title;  ///< "quality"
  std::string from;   ///< "esc_world_truth", or "" for the runner's own
  std::string note;   ///< "mean similarity to the other replies of the group"
  Topic topic = Topic::other;
  Better better = Better::unknown;
};

/// Columns the runner writes are known by name. Of the others, `rewards/LABEL/PART` are reward parts, for which higher
/// is better unless the name speaks of faults; `validation/METRIC` is the metric on held-out records; `seconds/PHASE`
/// are timings; any other `PLUGIN/FACTOR` is a reweighting's.
Metric describe(const std::string& name);

/// "Reward", "Redundancy", "Diversity and length", ...
std::string heading(Topic topic);

/// Every metric that any of the runs has (in its rows or its summary), in reading order: topics as above, in each the
/// well-known ones first, the others as they were recorded. Bookkeeping (`step`, times) is left out.
std::vector<Metric> metrics_of(const std::vector<const RunData*>& runs);

/// The few metrics that findings and plots are about: the reward parts called "quality" (else the reward), similarity
/// in the group and to the history, distinct-2. Only those the runs have, and in which they differ at all.
std::vector<Metric> headline(const std::vector<const RunData*>& runs);

/// Validation: the same held-out records, looked at again and again while a model is trained. Columns
/// `validation/METRIC`, NaN at steps without a look. The first metric decides which look was the best.

/// What runs looked at, the metric that decides first; none of a run without validation.
std::vector<Metric> validation_metrics(const std::vector<const RunData*>& runs);

/// The step of the best look; NaN if there was none.
double best_step(const RunData& run);

/// For a run that left no summary: puts into it the figures of the best look so far, and its step.
void summarize_looks(RunData& run);

}  // namespace compeer::report
