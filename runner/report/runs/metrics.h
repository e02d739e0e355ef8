#pragma once
#include <map>
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

/// The few metrics that plots of several runs are about: the reward (without one, the loss), reward parts called
/// "quality", similarity in the group and to the history, distinct-2. Only those the runs have, and in which they
/// differ at all.
std::vector<Metric> headline(const std::vector<const RunData*>& runs);

// Validation: the same held-out records, looked at again and again while a model is trained. Columns
// `validation/METRIC`, NaN at steps without a look. The first metric decides which look was the best.

/// What runs looked at, the metric that decides first; none of a run without validation.
std::vector<Metric> validation_metrics(const std::vector<const RunData*>& runs);

/// The step of the best look; NaN if there was none.
double best_step(const RunData& run);

/// For a run that left no summary: puts into it the figures of the best look so far, and its step.
void summarize_looks(RunData& run);

// What stages of a data run have found out: figures, {"value", "low", "high"}.

/// Whether a stage measures something, and does not only make records.
bool measures(const StageData& stage);

/// All figures of findings by their paths: "mean_emotion", "reply/weighted_f1". A plain number is one without an
/// interval. `columns` and `curves` are none.
std::map<std::string, Interval> figures_of(const nlohmann::json& findings);

/// What a stage's findings call `invalid`, by reason: scores without a number behind them. Not what was dropped for
/// being so: that is in `stage.dropped`.
std::map<std::string, double> invalid_scores(const StageData& stage);

/// "mean_emotion" -> "mean emotion".
std::string spaced(std::string name);

/// Which way is better, for figures by the last part of their paths: {"better": {"higher": ["success"], "lower":
/// ["failure"]}} in findings. Of others it is unknown.
std::map<std::string, Better> ways_of(const nlohmann::json& findings);
Better better_of(const std::map<std::string, Better>& ways, const std::string& path);

}  // namespace compeer::report
